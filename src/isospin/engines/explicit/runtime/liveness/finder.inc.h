/* Which of many items, each of which begins with a state, has a given one.

   Reference: textbook linear probing.
   Differs: nothing.  The table of visited states has no numbers, and cannot be asked without storing what is asked for.

   A template (codegen/templates.py), behind the table of visited states. */
#ifndef ISOSPIN_FINDER_H
#define ISOSPIN_FINDER_H

struct finder {
    uint32_t *numbers; /* of items, + 1; 0: free */
    uint64_t size;
};

enum { FIRST_TO_FIND = 1 << 12 };

/* The place of a state among the slots; it is free if no item has it. */
ALWAYS_INLINE uint64_t slot_for(const struct finder *t, const void *items, size_t width, const word *s)
{
    uint64_t at = wide_hash(s) & (t->size - 1);
    while (t->numbers[at] && !same((const word *)((const char *)items + (t->numbers[at] - 1) * width), s)) {
        at = (at + 1) & (t->size - 1);
    }
    return at;
}

/* Twice as many slots, if half of them are taken; false if there is no memory. */
static bool room_to_find(struct finder *t, const void *items, size_t width, uint64_t count)
{
    if (LIKELY(2 * count < t->size)) {
        return true;
    }
    struct finder larger = {.size = t->size ? 2 * t->size : FIRST_TO_FIND};
    larger.numbers = take_memory(larger.size * sizeof *larger.numbers);
    if (larger.numbers == NULL) {
        stop_because(END_MEMORY);
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        const word *s = (const word *)((const char *)items + i * width);
        larger.numbers[slot_for(&larger, items, width, s)] = (uint32_t)i + 1;
    }
    give_memory(t->numbers, t->size * sizeof *t->numbers);
    *t = larger;
    return true;
}

#endif
