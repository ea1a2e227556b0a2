/* A permutation of threads, and of cells of memory: what takes one part of a symmetric program to another.
 *
 * A cell is a variable of the program, an element of an array, or a block of the heap.  An address in a cell that moves
 * becomes the address of the same place in its image; one in the region of a thread that moves, of the same place in
 * the region of its image; all others stay.  A word in which main keeps the name of a thread moves as well, but what
 * points to it does not follow.
 */
#ifndef ISOSPIN_RENAMING_H
#define ISOSPIN_RENAMING_H

#include "explore/contract.h"

enum { MOST_MOVES = 128 };

struct move {
    uintptr_t from, to;
    size_t size;
    size_t past; /* 1: the address behind the last byte belongs to the cell, too (blocks of the heap) */
    bool name;   /* a word in which main keeps the name of a thread (cells.h): pointers to it stay as they are */
};

struct renaming {
    uint8_t to[MOST_THREADS];
    int count;
    uintptr_t low, high; /* all cells that move are between these */
    struct move cells[MOST_MOVES]; /* ascending, once it is complete */
};

/* From the program side: where an address is after a permutation of threads alone, in the current state. */
uintptr_t region_image(uintptr_t address, const uint8_t to[MOST_THREADS]);
/* What stands for an address beyond the current state (libc/seats.c), and its image. */
extern bool seats_shifted; /* some block of this execution does not lie at its seat */
uintptr_t seat_behind(uintptr_t address);
uintptr_t seat_image(uintptr_t seat, const uint8_t to[MOST_THREADS]);

static inline uintptr_t seat_of(uintptr_t address) { return seats_shifted ? seat_behind(address) : address; }

void renaming_clear(struct renaming *renaming);
/* The cells in order, so that equal renamings look equal; false if they are not permuted among themselves. */
bool renaming_close(struct renaming *renaming);
/* SOUND: does nothing move a part of these bytes away from the others?  Then their image is that of the first one. */
bool renaming_takes_whole(const struct renaming *renaming, uintptr_t from, size_t size);
bool renaming_equal(const struct renaming *one, const struct renaming *other);
/* Do both the same to all that the first one moves?  Then they commute. */
bool renaming_is_part(const struct renaming *one, const struct renaming *other);
/* First one, then the other; false if that moves too many cells. */
bool renaming_product(const struct renaming *one, const struct renaming *other, struct renaming *product);
void renaming_inverse(const struct renaming *renaming, struct renaming *inverse);
bool renaming_add(struct renaming *renaming, struct move move);
/* What is tried: two threads change places; or those around them, in a ring (false: there is none). */
void renaming_exchange(struct renaming *renaming, int a, int b);
bool renaming_rotate(struct renaming *renaming, int a, int b);
/* An exchange that was good elsewhere, with its cells; false: there is none.  If it moves cells that nobody uses any
 * more, it is still better than a new one: what holds for all executions then need not hold for two kinds of images
 * (race/guard.c). */
bool renaming_remember(struct renaming *renaming, int a, int b);

/* The cell that an address is in, if it moves; else NULL. */
static inline const struct move *renaming_move(const struct renaming *renaming, uintptr_t address)
{
    if (address - renaming->low >= renaming->high - renaming->low)
        return NULL;
    for (int i = 0; i < renaming->count; i++)
        if (address - renaming->cells[i].from < renaming->cells[i].size + renaming->cells[i].past)
            return &renaming->cells[i];
    return NULL;
}

static inline uintptr_t renaming_image(const struct renaming *renaming, uintptr_t address)
{
    const struct move *move = renaming_move(renaming, address);
    return move ? address - move->from + move->to : region_image(address, renaming->to);
}

/* The image of a word that is in memory. */
static inline uintptr_t renaming_word(const struct renaming *renaming, uintptr_t word)
{
    const struct move *move = renaming_move(renaming, word);
    if (move)
        return move->name ? word : word - move->from + move->to;
    return region_image(word, renaming->to);
}

static inline uintptr_t renaming_seat(const struct renaming *renaming, uintptr_t seat)
{
    const struct move *move = renaming_move(renaming, seat);
    return move ? seat - move->from + move->to : seat_image(seat, renaming->to);
}

static inline thread_set renaming_of_set(const struct renaming *renaming, thread_set set)
{
    thread_set image = 0;
    for (; set; set &= set - 1)
        image |= (thread_set)1 << renaming->to[__builtin_ctzl(set)];
    return image;
}

#endif
