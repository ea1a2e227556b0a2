/* Wide states, compressed: a state is a pair of numbers of its halves, and each half that occurs is kept once.

   Reference: Holzmann, "State compression in Spin" (1997), for collapsed states; Laarman, van de Pol, Weber, "Parallel
   recursive state compression for free" (2011), for pairs of numbers.
   Differs: one level; the pair has 64 bits, so that the table of quotients holds it whole, and states themselves are
   needed only until they have been expanded.

   SOUND: numbers are given once and never again, so equal pairs mean equal halves, and different pairs different
   states.

   A template (codegen/templates.py), if TREE: one thread, an exact search. */
#ifndef ISOSPIN_TREE_H
#define ISOSPIN_TREE_H

enum { LEFT_WORDS = KEY_WORDS / 2, RIGHT_WORDS = KEY_WORDS - LEFT_WORDS, HALVES = 512, BLOCKS = 1 << 23 };

/* The halves of one side, in blocks that never move; `index` has numbers, counted from 1, by the hash of the half. */
struct halves {
    word **blocks;
    uint32_t *index;
    uint64_t mask, count;
};

static struct halves left_halves, right_halves;

ALWAYS_INLINE uint64_t hash_half(const word *s, int words)
{
    uint64_t h = MIX1;
    for (int i = 0; i < words; i++) {
        h = fold(s[i] ^ MIX2, h ^ MIX3);
    }
    return h;
}

ALWAYS_INLINE const word *half_at(const struct halves *all, uint64_t number, int words)
{
    return all->blocks[number / HALVES] + number % HALVES * (uint64_t)words;
}

ALWAYS_INLINE bool equal_halves(const word *a, const word *b, int words)
{
    word difference = 0;
    for (int i = 0; i < words; i++) {
        difference |= a[i] ^ b[i];
    }
    return difference == 0;
}

static COLD bool more_index(struct halves *all, int words)
{
    const uint64_t room = all->index ? 2 * (all->mask + 1) : 2 * HALVES;
    uint32_t *index = take_memory(room * sizeof *index);
    if (index == NULL) {
        return false;
    }
    for (uint64_t number = 0; number < all->count; number++) {
        uint64_t at = hash_half(half_at(all, number, words), words) & (room - 1);
        while (index[at]) {
            at = (at + 1) & (room - 1);
        }
        index[at] = (uint32_t)number + 1;
    }
    give_memory(all->index, all->index ? (all->mask + 1) * sizeof *index : 0);
    all->index = index;
    all->mask = room - 1;
    return true;
}

/* Room for one more half, or the search stops. */
static COLD bool more_halves(struct halves *all, int words)
{
    if (all->blocks == NULL) {
        all->blocks = calloc(BLOCKS, sizeof *all->blocks);
    }
    const uint64_t block = all->count / HALVES;
    bool fine = all->blocks != NULL && block < BLOCKS;
    if (fine && all->blocks[block] == NULL) {
        all->blocks[block] = take_memory((size_t)HALVES * (size_t)words * sizeof(word));
        fine = all->blocks[block] != NULL;
    }
    fine = fine && (8 * all->count < 7 * all->mask || more_index(all, words));
    if (!fine) {
        stop_because(END_MEMORY);
    }
    return fine;
}

static __attribute__((noinline)) uint32_t add_half(struct halves *all, const word *s, int words)
{
    if (UNLIKELY(all->count % HALVES == 0 || 8 * all->count >= 7 * all->mask) && !more_halves(all, words)) {
        return 0; /* SOUND: the search has stopped, and says so */
    }
    uint64_t at = hash_half(s, words) & all->mask;
    while (all->index[at]) {
        at = (at + 1) & all->mask;
    }
    const uint64_t number = all->count++;
    memcpy(all->blocks[number / HALVES] + number % HALVES * (uint64_t)words, s, (size_t)words * sizeof(word));
    all->index[at] = (uint32_t)number + 1;
    return (uint32_t)number;
}

ALWAYS_INLINE uint32_t number_half(struct halves *all, const word *s, int words)
{
    for (uint64_t at = hash_half(s, words); all->index; at++) {
        const uint32_t found = all->index[at & all->mask];
        if (found == 0) {
            break;
        }
        if (equal_halves(half_at(all, found - 1, words), s, words)) {
            return found - 1;
        }
    }
    return add_half(all, s, words);
}

/* What the table knows of a state. */
ALWAYS_INLINE const word *pair_in(word *pair, const word *s)
{
    const word left = number_half(&left_halves, s, LEFT_WORDS);
    *pair = left | (word)number_half(&right_halves, s + LEFT_WORDS, RIGHT_WORDS) << 32;
    return pair;
}

#endif
