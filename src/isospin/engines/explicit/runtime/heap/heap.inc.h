/* Objects inside a packed state: where they are, who names them, where `new` may put the next one.

   Reference: semantics/heap.py.
   Differs: sets of slots are bits of words.

   A slot is a piece of a word, or whole words, with the tag of its type in the lowest bits; a slot without an object is
   zero. A pointer is the number of a slot plus one; 0 is null.

   A template (codegen/templates.py), behind HEAP_SLOTS, MAX_OBJECTS, OBJECT_TYPES,
   POINTER_BITS, KIND_BITS, CELL_WORDS, CELL_BITS, FIXED_ROOTS, MOST_ROOTS, MOST_LINKS, and the tables of pointers. */
#ifndef ISOSPIN_HEAP_H
#define ISOSPIN_HEAP_H

#include "core/model.inc.h"
#if CALLS
#include "heap/calls.inc.h"
#endif

enum { SET_WORDS = (HEAP_SLOTS + 63) / 64 };

struct slots {
    word bits[SET_WORDS];
};

struct places {
    unsigned count;
    bool first_is_fresh; /* nobody names it; the others are named by pointers that dangle */
    bool full;           /* a slot that nobody names would be one too many */
    uint16_t slot[HEAP_SLOTS];
};

/* ------------------------------------------------------------------------------------------- cells and pointers */

ALWAYS_INLINE unsigned tag_of(const word *s, unsigned slot)
{
    return (unsigned)(s[CELL_WORD[slot]] >> CELL_SHIFT[slot]) & (unsigned)ones(KIND_BITS);
}

#if CELL_WORDS == 1
ALWAYS_INLINE word cell_of(const word *s, unsigned slot)
{
    return s[CELL_WORD[slot]] >> CELL_SHIFT[slot] & ones(CELL_BITS);
}

ALWAYS_INLINE void set_cell(word *n, unsigned slot, word cell)
{
    put(n + CELL_WORD[slot], CELL_SHIFT[slot], ones(CELL_BITS), (val)cell);
}
#endif

/* SOUND: what a deleted object leaves is zero, so that equal states have equal bits. */
ALWAYS_INLINE void clear_cell(word *n, unsigned slot)
{
#if CELL_WORDS == 1
    set_cell(n, slot, 0);
#else
    for (unsigned i = 0; i < CELL_WORDS; i++) {
        n[CELL_WORD[slot] + i] = 0;
    }
#endif
}

ALWAYS_INLINE unsigned pointer_at(const word *s, const struct pointer_place *p)
{
    return (unsigned)(s[p->word] >> p->shift & ones(POINTER_BITS));
}

ALWAYS_INLINE void set_pointer_at(word *n, const struct pointer_place *p, unsigned value)
{
    put(n + p->word, p->shift, ones(POINTER_BITS), value);
}

/* Of a place of LINK, which is relative to the cell. */
ALWAYS_INLINE unsigned link_at(const word *s, unsigned slot, const struct pointer_place *p)
{
    return (unsigned)(s[CELL_WORD[slot] + p->word] >> (CELL_SHIFT[slot] + p->shift) & ones(POINTER_BITS));
}

ALWAYS_INLINE void set_link_at(word *n, unsigned slot, const struct pointer_place *p, unsigned value)
{
    put(n + CELL_WORD[slot] + p->word, CELL_SHIFT[slot] + p->shift, ones(POINTER_BITS), value);
}

/* ------------------------------------------------------------------------------------------- what steps do */

/* The slot that a pointer names; that it names no object is a fault. */
ALWAYS_INLINE unsigned object(struct worker *w, const word *s, val pointer, uint32_t null, uint32_t gone)
{
    if (UNLIKELY(pointer == 0)) {
        fault(w, null);
        return 0;
    }
    if (UNLIKELY(tag_of(s, (unsigned)pointer - 1) == 0)) {
        fault(w, gone);
        return 0;
    }
    return (unsigned)pointer - 1;
}

ALWAYS_INLINE void new_object(word *n, unsigned slot, unsigned tag)
{
    put(n + CELL_WORD[slot], CELL_SHIFT[slot], ones(KIND_BITS), tag);
}

ALWAYS_INLINE void delete_object(struct worker *w, word *n, val pointer, uint32_t site)
{
    if (pointer == 0) { /* as in C, there is nothing to delete behind null */
        return;
    }
    if (UNLIKELY(tag_of(n, (unsigned)pointer - 1) == 0)) {
        fault(w, site);
        return;
    }
    clear_cell(n, (unsigned)pointer - 1);
}

/* ------------------------------------------------------------------------------------------- sets of slots */

ALWAYS_INLINE void add_slot(struct slots *set, unsigned slot) { set->bits[slot / 64] |= (word)1 << slot % 64; }

ALWAYS_INLINE unsigned first_of(word bits) { return (unsigned)__builtin_ctzll(bits); }

/* Takes a slot out of a set; HEAP_SLOTS if there is none. */
ALWAYS_INLINE unsigned take_slot(struct slots *set)
{
    for (unsigned i = 0; i < SET_WORDS; i++) {
        if (set->bits[i]) {
            const unsigned slot = 64 * i + first_of(set->bits[i]);
            set->bits[i] &= set->bits[i] - 1;
            return slot;
        }
    }
    return HEAP_SLOTS;
}

ALWAYS_INLINE struct slots live_slots(const word *s)
{
    struct slots live = {{0}};
    for (unsigned slot = 0; slot < HEAP_SLOTS; slot++) {
        live.bits[slot / 64] |= (word)(tag_of(s, slot) != 0) << slot % 64;
    }
    return live;
}

/* ------------------------------------------------------------------------------------------- pointers outside the heap
 */

#if FIXED_ROOTS
ALWAYS_INLINE const struct pointer_place *find_roots(const word *s, struct pointer_place *room, unsigned *count)
{
    (void)s;
    (void)room;
    *count = N_ROOTS;
    return ROOT;
}
#else
ALWAYS_INLINE unsigned add_places(struct pointer_place *room, unsigned count, const struct pointer_place *p, unsigned n,
                                  unsigned word_, unsigned shift)
{
    for (unsigned i = 0; i < n; i++) {
        room[count++] = (struct pointer_place){(uint16_t)(p[i].word + word_), (uint8_t)(p[i].shift + shift), p[i].kind};
    }
    return count;
}

ALWAYS_INLINE unsigned add_process_places(const word *s, unsigned pid, struct pointer_place *room, unsigned count)
{
    const unsigned t = template_of(s, pid);
    count = add_places(room, count, LOCAL_POINTER[t], N_LOCAL_POINTERS[t], LANE_WORD[pid], LANE_SHIFT[pid]);
#if CALLS
    const unsigned depth = depth_of(s, pid, t);
    for (unsigned i = 0; i < depth; i++) {
        const struct entry e = entry_of(pid, t, i);
        const unsigned site = FIRST_SITE[t] + site_of(s, e, t);
        count = add_places(room, count, SAVED_POINTER[site], N_SAVED_POINTERS[site], e.word, e.shift);
    }
#endif
    return count;
}

ALWAYS_INLINE unsigned add_channel_places(const word *s, unsigned c, struct pointer_place *room, unsigned count)
{
    const unsigned t = type_of(s, c), length = N_MESSAGE_POINTERS[t] ? chan_len(s, c) : 0;
    for (unsigned m = 0; m < length; m++) {
        for (unsigned i = 0; i < N_MESSAGE_POINTERS[t]; i++) {
            const unsigned f = MESSAGE_POINTER[t][i].word;
            const unsigned at = message_word(c, t, m) + FIELD_WORD[t][f],
                           shift = message_shift(c, t, m) + FIELD_SHIFT[t][f];
            room[count++] = (struct pointer_place){(uint16_t)at, (uint8_t)shift, MESSAGE_POINTER[t][i].kind};
        }
    }
    return count;
}

/* All pointers outside the heap, in the order of the reference semantics. */
ALWAYS_INLINE const struct pointer_place *find_roots(const word *s, struct pointer_place *room, unsigned *count)
{
    unsigned n = add_places(room, 0, ROOT, N_ROOTS, 0, 0);
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        n = add_process_places(s, pid, room, n);
    }
    for (unsigned c = 0; c < N_CHANNELS(s); c++) {
        n = add_channel_places(s, c, room, n);
    }
    *count = n;
    return room;
}
#endif

/* ------------------------------------------------------------------------------------------- allocation */

/* Which slots pointers name: any pointers, and those to one type. */
ALWAYS_INLINE void name_slot(struct slots *named, struct slots *alike, unsigned value, bool is_alike)
{
    if (value) {
        add_slot(named, value - 1);
        alike->bits[(value - 1) / 64] |= (word)is_alike << (value - 1) % 64;
    }
}

static MAYBE_UNUSED void name_slots(const word *s, const struct slots *live, unsigned tag, struct slots *named,
                                    struct slots *alike)
{
    struct pointer_place room[MOST_ROOTS];
    unsigned count;
    const struct pointer_place *roots = find_roots(s, room, &count);
    for (unsigned i = 0; i < count; i++) {
        name_slot(named, alike, pointer_at(s, roots + i), roots[i].kind == tag);
    }
    for (unsigned i = 0; i < SET_WORDS; i++) {
        for (word left = live->bits[i]; left; left &= left - 1) {
            const unsigned slot = 64 * i + first_of(left), kind = tag_of(s, slot);
            for (unsigned l = 0; l < N_LINKS[kind]; l++) {
                name_slot(named, alike, link_at(s, slot, &LINK[kind][l]), LINK[kind][l].kind == tag);
            }
        }
    }
}

/* Where `new` may put an object.  SOUND: deleted slots that are named differ for the program, so each is a choice of
   its own; of those that nobody names the lowest stands for all.  Not `again`: nobody would notice. */
static MAYBE_UNUSED void find_places(struct worker *w, const word *s, unsigned tag, bool again, struct places *p)
{
    const struct slots live = live_slots(s);
    struct slots named = {{0}}, alike = {{0}};
    unsigned used = 0, fresh = HEAP_SLOTS;
    name_slots(s, &live, tag, &named, &alike);
    for (unsigned i = SET_WORDS; i-- > 0;) {
        const word taken = live.bits[i] | named.bits[i];
        used += (unsigned)__builtin_popcountll(taken);
        fresh = ~taken ? 64 * i + first_of(~taken) : fresh;
    }
    p->count = 0;
    p->full = used >= MAX_OBJECTS;
    p->first_is_fresh = !p->full;
    if (!p->full) {
        if (fresh >= HEAP_SLOTS) {
            report_overflow(w, OVERFLOW_OBJECTS, HEAP_SLOTS, (int)tag);
            return;
        }
        p->slot[p->count++] = (uint16_t)fresh;
    }
    for (unsigned i = 0; again && i < SET_WORDS; i++) {
        for (word left = alike.bits[i] & ~live.bits[i]; left; left &= left - 1) {
            p->slot[p->count++] = (uint16_t)(64 * i + first_of(left));
        }
    }
}

/* ------------------------------------------------------------------------------------------- leaks */

/* Takes a slot into the set of what is reached, if there is an object in it. */
ALWAYS_INLINE void reach(struct slots *todo, struct slots *left, unsigned value)
{
    if (value) {
        const word bit = left->bits[(value - 1) / 64] & (word)1 << (value - 1) % 64;
        left->bits[(value - 1) / 64] ^= bit;
        todo->bits[(value - 1) / 64] |= bit;
    }
}

/* The objects that no chain of pointers leads to. */
static MAYBE_UNUSED struct slots lost_slots(const word *s)
{
    struct slots left = live_slots(s), todo = {{0}};
    struct pointer_place room[MOST_ROOTS];
    unsigned count;
    const struct pointer_place *roots = find_roots(s, room, &count);
    for (unsigned i = 0; i < count; i++) {
        reach(&todo, &left, pointer_at(s, roots + i));
    }
    for (unsigned slot; (slot = take_slot(&todo)) < HEAP_SLOTS;) {
        const unsigned kind = tag_of(s, slot);
        for (unsigned l = 0; l < N_LINKS[kind]; l++) {
            reach(&todo, &left, link_at(s, slot, &LINK[kind][l]));
        }
    }
    return left;
}

/* What could be reached before the step and cannot be reached any more.  Judged before anything is collected. */
static MAYBE_UNUSED void judge_leaks(struct worker *w, const word *before, const word *after, uint32_t site)
{
    const struct slots lost = lost_slots(after);
    word any = 0, new = 0;
    for (unsigned i = 0; i < SET_WORDS; i++) {
        any |= lost.bits[i];
    }
    if (LIKELY(!any)) {
        return;
    }
    const struct slots old = lost_slots(before);
    for (unsigned i = 0; i < SET_WORDS; i++) {
        new |= lost.bits[i] & ~old.bits[i];
    }
    if (new) {
        failed(w, site);
    }
}

#endif
