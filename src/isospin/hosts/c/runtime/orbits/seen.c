/* Sets of deeds. */
#include "orbits/orbit.h"

#include "explore/arena.h"

void seen_add(struct seen *set, uint32_t number)
{
    GROW(set->bits, set->words, number / 64 + 1);
    set->bits[number / 64] |= 1ULL << (number % 64);
}

void seen_remove(struct seen *set, uint32_t number)
{
    if (number / 64 < set->words)
        set->bits[number / 64] &= ~(1ULL << (number % 64));
}

bool seen_has(const struct seen *set, uint32_t number)
{
    return number / 64 < set->words && set->bits[number / 64] >> (number % 64) & 1;
}

void seen_join(struct seen *set, const struct seen *more)
{
    if (!more->words)
        return;
    GROW(set->bits, set->words, more->words);
    for (unsigned i = 0; i < more->words; i++)
        set->bits[i] |= more->bits[i];
}

void seen_clear(struct seen *set)
{
    arena_give(set->bits, set->words * sizeof *set->bits);
    *set = (struct seen){0};
}
