/* Folding where processes are started at run time: those that have ended go, the others are sorted.

   Reference: `symmetry/folding/births.py`.
   Differs: processes are compared as they are packed.

   A template (codegen/templates.py), in place of fold.inc.h.  All lanes from LIVE_BASE on have the same size. */
#ifndef ISOSPIN_LIVE_SET_H
#define ISOSPIN_LIVE_SET_H

#define GONE 255

/* A process out of its lane. */
struct process {
    word lane[LIVE_WORDS];
    uint8_t template, pid;
};

ALWAYS_INLINE int compare_processes(const struct process *a, const struct process *b)
{
    if (a->template != b->template) {
        return a->template <b->template ? -1 : 1;
    }
    for (int i = 0; i < LIVE_WORDS; i++) {
        if (a->lane[i] != b->lane[i]) {
            return a->lane[i] < b->lane[i] ? -1 : 1;
        }
    }
    return 0;
}

ALWAYS_INLINE void take_out(const word *s, unsigned pid, struct process *p)
{
    for (int i = 0; i < LIVE_WORDS; i++) {
        p->lane[i] = LIVE_WORDS > 1 ? s[LANE_WORD[pid] + i] : s[LANE_WORD[pid]] >> LANE_SHIFT[pid] & ones(LIVE_BITS);
    }
    p->pid = (uint8_t)pid;
}

ALWAYS_INLINE void put_in(word *s, unsigned pid, const struct process *p)
{
    for (int i = 0; i < LIVE_WORDS; i++) {
        if (LIVE_WORDS > 1) {
            s[LANE_WORD[pid] + i] = p->lane[i];
        } else {
            put(s + LANE_WORD[pid], LANE_SHIFT[pid], ones(LIVE_BITS), (val)p->lane[i]);
        }
    }
    if (TEMPLATE_MASK[pid]) {
        put(s + TEMPLATE_WORD[pid], TEMPLATE_SHIFT[pid], TEMPLATE_MASK[pid], p->template);
    }
}

/* How many of those that have ended are kept. */
ALWAYS_INLINE unsigned kept(unsigned ended, unsigned live)
{
    return LIVE_KEEPS_ALL ? ended : LIVE_KEEPS_ONE && live == 0 && ended > 0;
}

#if LIVE_NAMES
#include "fold/live_names.inc.h"
#else
/* A state becomes its representative; `images` (or NULL) says where the processes went. */
static MAYBE_UNUSED void fold_state(word *s, uint8_t *images)
{
    const unsigned n = n_processes(s);
    struct process live[SLOTS];
    unsigned n_live = 0;
    for (unsigned i = 0; images != NULL && i < SLOTS; i++) {
        images[i] = (uint8_t)i;
    }
    for (unsigned pid = LIVE_BASE; pid < n; pid++) {
        const unsigned t = template_of(s, pid);
        if (HAS_ENDED[t][pc_of(s, pid, t)]) {
            if (images != NULL) {
                images[pid] = GONE;
            }
            continue;
        }
        struct process new = {.template = (uint8_t)t};
        unsigned i = n_live++;
        take_out(s, pid, &new);
        for (; i > 0 && compare_processes(&new, &live[i - 1]) < 0; i--) {
            live[i] = live[i - 1];
        }
        live[i] = new;
    }
    if (n <= LIVE_BASE) {
        return;
    }
    const unsigned keep = kept(n - LIVE_BASE - n_live, n_live);
    for (unsigned pid = LIVE_BASE + keep + n_live; pid < n; pid++) {
        clear_lane(s, pid);
    }
    for (unsigned i = 0; i < keep; i++) {
        const struct process record = {.lane = {LIVE_RECORD_PC}, .template = LIVE_RECORD};
        put_in(s, LIVE_BASE + i, &record);
    }
    for (unsigned i = 0; i < n_live; i++) {
        put_in(s, LIVE_BASE + keep + i, &live[i]);
        if (images != NULL) {
            images[live[i].pid] = (uint8_t)(LIVE_BASE + keep + i);
        }
    }
    SET_N_PROCESSES(s, LIVE_BASE + keep + n_live);
}
#endif

#if FAIR
/* Those that are not there any more get the places that nobody has: then each place has one name.  SOUND: on a cycle
   nobody is started or ends, and where there is no process, nobody waits. */
ALWAYS_INLINE void complete_images(uint8_t *images)
{
    bool taken[SLOTS] = {false};
    unsigned next = 0;
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        if (images[pid] != GONE) {
            taken[images[pid]] = true;
        }
    }
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        if (images[pid] == GONE) {
            while (taken[next]) {
                next++;
            }
            images[pid] = (uint8_t)next++;
        }
    }
}
#endif

static void fold_many(word *const *states, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        fold_state(states[i], NULL);
    }
}

#endif
