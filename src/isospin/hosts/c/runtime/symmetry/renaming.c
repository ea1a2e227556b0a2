#include "symmetry/renaming.h"

#include <string.h>

void renaming_clear(struct renaming *renaming)
{
    for (int t = 0; t < MOST_THREADS; t++)
        renaming->to[t] = (uint8_t)t;
    renaming->count = 0;
    renaming->low = renaming->high = 0;
}

bool renaming_add(struct renaming *renaming, struct move move)
{
    if (renaming->count == MOST_MOVES)
        return false;
    uintptr_t end = move.from + move.size + move.past;
    renaming->low = !renaming->count || move.from < renaming->low ? move.from : renaming->low;
    renaming->high = !renaming->count || end > renaming->high ? end : renaming->high;
    renaming->cells[renaming->count++] = move;
    return true;
}

static void sort(struct renaming *renaming)
{
    for (int i = 1; i < renaming->count; i++) {
        struct move move = renaming->cells[i];
        int at = i;
        for (; at > 0 && renaming->cells[at - 1].from > move.from; at--)
            renaming->cells[at] = renaming->cells[at - 1];
        renaming->cells[at] = move;
    }
}

bool renaming_close(struct renaming *renaming)
{
    sort(renaming);
    for (int i = 0; i < renaming->count; i++) {
        const struct move *image = renaming_move(renaming, renaming->cells[i].to);
        if (!image || image->from != renaming->cells[i].to || image->size != renaming->cells[i].size)
            return false;
    }
    return true;
}

bool renaming_takes_whole(const struct renaming *renaming, uintptr_t from, size_t size)
{
    for (int i = 0; i < renaming->count; i++) {
        const struct move *cell = &renaming->cells[i];
        bool meet = cell->from < from + size && from < cell->from + cell->size;
        if (meet && (from < cell->from || from + size > cell->from + cell->size))
            return false;
    }
    return true;
}

bool renaming_equal(const struct renaming *one, const struct renaming *other)
{
    if (one->count != other->count || memcmp(one->to, other->to, sizeof one->to))
        return false;
    for (int i = 0; i < one->count; i++)
        if (one->cells[i].from != other->cells[i].from || one->cells[i].to != other->cells[i].to)
            return false;
    return true;
}

/* Does the second move a cell in the same way as the first, and no part of it in another one? */
static bool moves_alike(const struct renaming *renaming, const struct move *cell)
{
    const struct move *same = renaming_move(renaming, cell->from);
    if (!same)
        return region_image(cell->from, renaming->to) == cell->to &&
               renaming_takes_whole(renaming, cell->from, cell->size);
    return same->from == cell->from && same->to == cell->to && same->size == cell->size && same->name == cell->name;
}

bool renaming_is_part(const struct renaming *one, const struct renaming *other)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (one->to[t] != t && one->to[t] != other->to[t])
            return false;
    for (int i = 0; i < one->count; i++)
        if (!moves_alike(other, &one->cells[i]))
            return false;
    for (int i = 0; i < other->count; i++) {
        uintptr_t from = other->cells[i].from;
        if (region_image(from, one->to) != from && !moves_alike(one, &other->cells[i]))
            return false;
    }
    return true;
}

bool renaming_product(const struct renaming *one, const struct renaming *other, struct renaming *product)
{
    renaming_clear(product);
    for (int t = 0; t < MOST_THREADS; t++)
        product->to[t] = other->to[one->to[t]];
    for (int i = 0; i < one->count; i++) {
        struct move move = one->cells[i];
        move.to = renaming_image(other, move.to);
        if (move.to != move.from && !renaming_add(product, move))
            return false;
    }
    for (int i = 0; i < other->count; i++)
        if (!renaming_move(one, other->cells[i].from) && !renaming_add(product, other->cells[i]))
            return false;
    sort(product);
    return true;
}

void renaming_inverse(const struct renaming *renaming, struct renaming *inverse)
{
    renaming_clear(inverse);
    for (int t = 0; t < MOST_THREADS; t++)
        inverse->to[renaming->to[t]] = (uint8_t)t;
    for (int i = 0; i < renaming->count; i++) {
        struct move move = renaming->cells[i];
        move.from = renaming->cells[i].to;
        move.to = renaming->cells[i].from;
        renaming_add(inverse, move);
    }
    sort(inverse);
}
