/* What the generated step functions are made of: reading and writing packed fields, arithmetic, processes, channels.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_MODEL_H
#define ISOSPIN_MODEL_H

#include "core/channels.inc.h"

#define MARK(id) \
    do { \
        if (UNLIKELY(!PEEK(executed[id]))) \
            POST(executed[id], 1); \
    } while (0)

/* ------------------------------------------------------------------------------------------- values */

ALWAYS_INLINE void put(word *w, unsigned shift, word mask, val value)
{
    *w = (*w & ~(mask << shift)) | ((word)value & mask) << shift;
}

ALWAYS_INLINE val get_signed(word w, unsigned shift, unsigned bits)
{
    return (val)(w >> shift << (64 - bits)) >> (64 - bits);
}

ALWAYS_INLINE val wrap_signed(val value, unsigned bits) { return (val)((word)value << (64 - bits)) >> (64 - bits); }

ALWAYS_INLINE void fault(struct worker *w, uint32_t site)
{
    if (!w->fault) {
        w->fault = site;
    }
}

ALWAYS_INLINE void failed(struct worker *w, uint32_t site)
{
    if (w->n_failed < MOST_FAILED && !w->fault) { /* what comes after a fault has no meaning */
        w->failed[w->n_failed++] = site;
    }
}

/* A step could be taken, but what comes of it is beyond a bound.  SOUND: the verdict says so. */
static COLD MAYBE_UNUSED void cut_off(struct worker *w, unsigned bound)
{
    w->nowhere++;
    if (w->mode != MODE_REPLAY) {
        __atomic_fetch_or(&shared.cut, bound, __ATOMIC_RELAXED);
    }
}

ALWAYS_INLINE val in_range(struct worker *w, val index, val size, uint32_t site)
{
    if (UNLIKELY((uint64_t)index >= (uint64_t)size)) {
        fault(w, site);
        return 0;
    }
    return index;
}

ALWAYS_INLINE val bounded(struct worker *w, val value, val low, val high, uint32_t site)
{
    if (UNLIKELY(value < low || value > high)) {
        fault(w, site);
        return low;
    }
    return value;
}

ALWAYS_INLINE val divide(struct worker *w, val left, val right, uint32_t site)
{
    if (UNLIKELY(right == 0)) {
        fault(w, site);
        return 0;
    }
    return (val)(int32_t)(left / right);
}

ALWAYS_INLINE val modulo(struct worker *w, val left, val right, uint32_t site)
{
    if (UNLIKELY(right == 0)) {
        fault(w, site);
        return 0;
    }
    return (val)(int32_t)(left % right);
}

/* ------------------------------------------------------------------------------------------- processes */

ALWAYS_INLINE unsigned n_processes(const word *s) { return N_PROCESSES(s); }

ALWAYS_INLINE unsigned template_of(const word *s, unsigned pid)
{
    if (TEMPLATE_MASK[pid] == 0) {
        return ONLY_TEMPLATE[pid];
    }
    return (unsigned)(s[TEMPLATE_WORD[pid]] >> TEMPLATE_SHIFT[pid]) & TEMPLATE_MASK[pid];
}

ALWAYS_INLINE unsigned pc_of(const word *s, unsigned pid, unsigned t)
{
    return (unsigned)(s[LANE_WORD[pid]] >> LANE_SHIFT[pid] & ones(PC_BITS[t]));
}

ALWAYS_INLINE void set_pc(word *n, unsigned pid, unsigned t, unsigned pc)
{
    put(n + LANE_WORD[pid], LANE_SHIFT[pid], ones(PC_BITS[t]), pc);
}

ALWAYS_INLINE bool alive(const word *s, val which) { return which >= 0 && which < (val)n_processes(s); }

ALWAYS_INLINE int find_process(const word *s, val which, unsigned t)
{
    return alive(s, which) && template_of(s, (unsigned)which) == t ? (int)which : -1;
}

ALWAYS_INLINE val at_pc(const word *s, val which, unsigned t, unsigned pc)
{
    int pid = find_process(s, which, t);
    return pid >= 0 && pc_of(s, (unsigned)pid, t) == pc;
}

ALWAYS_INLINE val oldest(const word *s, unsigned t)
{
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        if (template_of(s, pid) == t) {
            return (val)pid;
        }
    }
    return -1;
}

ALWAYS_INLINE val location_of(const word *s, val which)
{
    if (!alive(s, which)) {
        return 0;
    }
    unsigned t = template_of(s, (unsigned)which);
    return LOCATION[t][pc_of(s, (unsigned)which, t)];
}

ALWAYS_INLINE val non_progress(const word *s)
{
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        unsigned t = template_of(s, pid);
        if (PROGRESS[t][pc_of(s, pid, t)]) {
            return 0;
        }
    }
    return 1;
}

ALWAYS_INLINE val priority_of(const word *s, val which)
{
    if (!alive(s, which)) {
        return 0;
    }
    unsigned pid = (unsigned)which, t = template_of(s, pid);
    return USES_PRIORITY ? (val)(s[LANE_WORD[pid]] >> (LANE_SHIFT[pid] + PC_BITS[t]) & 255) : 1;
}

ALWAYS_INLINE void set_priority(struct worker *w, word *n, val which, val priority, uint32_t site)
{
    if (priority < 1 || priority > 255) {
        fault(w, site);
    } else if (USES_PRIORITY && alive(n, which)) {
        unsigned pid = (unsigned)which, t = template_of(n, pid);
        put(n + LANE_WORD[pid], LANE_SHIFT[pid] + PC_BITS[t], 255, priority);
    }
}

/* A new process without values; its pid. */
ALWAYS_INLINE unsigned born(struct worker *w, word *n, unsigned t, unsigned pc, int priority, uint32_t site)
{
    unsigned pid = n_processes(n);
    if (pid >= MOST_ALIVE) {
        fault(w, site);
    } else if (pid >= SLOTS) {
        report_overflow(w, OVERFLOW_PROCESSES, (int)pid, (int)t);
    } else if (!FITS[pid][t]) {
        report_overflow(w, OVERFLOW_TEMPLATE, (int)pid, (int)t);
    }
    if (UNLIKELY(w->fault)) {
        return 0;
    }
    SET_N_PROCESSES(n, pid + 1);
    if (TEMPLATE_MASK[pid]) {
        put(n + TEMPLATE_WORD[pid], TEMPLATE_SHIFT[pid], TEMPLATE_MASK[pid], t);
    }
    set_pc(n, pid, t, pc);
    if (USES_PRIORITY) {
        put(n + LANE_WORD[pid], LANE_SHIFT[pid] + PC_BITS[t], 255, priority);
    }
    return pid;
}

/* SOUND: what a dead process leaves is zero, so that equal states have equal bits. */
ALWAYS_INLINE void clear_lane(word *n, unsigned pid)
{
    if (LANE_WORDS[pid] > 1) {
        for (unsigned i = 0; i < LANE_WORDS[pid]; i++) {
            n[LANE_WORD[pid] + i] = 0;
        }
    } else {
        put(n + LANE_WORD[pid], LANE_SHIFT[pid], ones(LANE_BITS[pid]), 0);
    }
    if (TEMPLATE_MASK[pid]) {
        put(n + TEMPLATE_WORD[pid], TEMPLATE_SHIFT[pid], TEMPLATE_MASK[pid], 0);
    }
    SET_N_PROCESSES(n, pid);
}

/* ------------------------------------------------------------------------------------------- channels */

ALWAYS_INLINE unsigned type_of(const word *s, unsigned c)
{
    if (TYPE_MASK[c] == 0) {
        return ONLY_TYPE[c];
    }
    return (unsigned)(s[TYPE_WORD[c]] >> TYPE_SHIFT[c]) & TYPE_MASK[c];
}

ALWAYS_INLINE unsigned channel(struct worker *w, const word *s, val id, uint32_t none, uint32_t gone)
{
    if (UNLIKELY(id <= 0)) {
        fault(w, none);
        return 0;
    }
    if (UNLIKELY(id > (val)N_CHANNELS(s))) {
        fault(w, gone);
        return 0;
    }
    return (unsigned)id - 1;
}

ALWAYS_INLINE bool chan_full(const word *s, unsigned c)
{
    unsigned capacity = CAPACITY[type_of(s, c)];
    return chan_len(s, c) >= (capacity ? capacity : 1);
}

ALWAYS_INLINE val wrap_field(struct worker *w, unsigned t, unsigned f, val value)
{
    unsigned declared = DECLARED_BITS[t][f], bits = FIELD_BITS[t][f];
    value = DECLARED_SIGNED[t][f] ? wrap_signed(value, declared) : (val)((word)value & ones(declared));
    if (FIELD_CHECKED[t][f]) {
        word high = FIELD_SIGNED[t][f] ? (word)(value + ((val)1 << (bits - 1))) >> bits : (word)value >> bits;
        if (UNLIKELY(high)) {
            report_overflow(w, OVERFLOW_FIELD, (int)(t * WHERE + f), (int)value);
        }
    }
    return value;
}

ALWAYS_INLINE unsigned new_channel(struct worker *w, word *n, unsigned t, uint32_t site)
{
    unsigned c = N_CHANNELS(n);
    if (c >= MOST_ALIVE) {
        fault(w, site);
    } else if (c >= CHANNEL_SLOTS) {
        report_overflow(w, OVERFLOW_CHANNELS, (int)c, (int)t);
    } else if (!TYPE_FITS[c][t]) {
        report_overflow(w, OVERFLOW_TYPE, (int)c, (int)t);
    }
    if (UNLIKELY(w->fault)) {
        return 0;
    }
    if (TYPE_MASK[c]) {
        put(n + TYPE_WORD[c], TYPE_SHIFT[c], TYPE_MASK[c], t);
    }
    SET_N_CHANNELS(n, c + 1);
    return c + 1;
}

ALWAYS_INLINE void drop_channel(word *n)
{
    unsigned c = N_CHANNELS(n) - 1;
    if (DATA_WORDS[c]) {
        for (unsigned i = 0; i < DATA_WORDS[c]; i++) {
            n[DATA_WORD[c] + i] = 0;
        }
    } else {
        put(n + DATA_WORD[c], DATA_SHIFT[c], ones(DATA_BITS[c]), 0);
    }
    set_len(n, c, 0);
    if (TYPE_MASK[c]) {
        put(n + TYPE_WORD[c], TYPE_SHIFT[c], TYPE_MASK[c], 0);
    }
    SET_N_CHANNELS(n, c);
}

#endif
