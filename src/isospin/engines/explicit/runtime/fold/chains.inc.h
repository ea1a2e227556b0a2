/* Heaps without addresses: what cannot be reached is collected, and objects are numbered by their access chains.

   Reference: Iosif (dSPIN), section 3 and Fig. 4; Cheney, A nonrecursive list compacting algorithm, 1970;
   `symmetry/folding/heap.py`.

   Differs: chains are ordered by their roots first, then by length, so that pointers that walk through a structure
   change no numbers; nothing is copied where the numbers stay as they are; slots without an object that pointers
   still name take part, since `new` may use them again.

   SOUND: the order of the chains depends on the state only up to addresses, so that states that differ in addresses and
   garbage become the same state; and each becomes one that differs from it in those only.

   A template (codegen/templates.py), behind the table KEEP, which says for each number of objects which bits of the
   words from FIRST_KEPT on stay (KEEPS words; 0: the table would be too large). */
#ifndef ISOSPIN_CHAINS_H
#define ISOSPIN_CHAINS_H

#include <string.h>
#include "heap/heap.inc.h"

#if HEAP_SLOTS < 255
typedef uint8_t pointer;
#else
typedef uint16_t pointer;
#endif

/* Objects in the order in which they were met.  Pointers with number 0 were not met; null never is. */
struct chains {
    unsigned count;
    pointer number[HEAP_SLOTS + 1];
    pointer met[HEAP_SLOTS + 1];
};

/* Without branches: whether an object was met before, nobody could predict. */
ALWAYS_INLINE void meet(struct chains *c, unsigned value)
{
    const unsigned is_new = (value != 0) & (c->number[value] == 0);
    c->met[c->count] = (pointer)value;
    c->count += is_new;
    c->number[value] = is_new ? (pointer)c->count : c->number[value];
}

/* The pointers of a cell, as expressions: a cell without an object is zero, so where there is one type its links are
 * null. */
#define LINKS_OF(tag) (OBJECT_TYPES == 1 ? N_LINKS[1] : N_LINKS[tag])
#define LINK_OF(tag, l) (OBJECT_TYPES == 1 ? &LINK[1][l] : &LINK[tag][l])
#define UNROLL _Pragma("GCC unroll 8")

/* Those that are behind the ones from number `first` on. */
ALWAYS_INLINE void follow_links(const word *s, struct chains *c, unsigned first)
{
    for (unsigned i = first; i < c->count; i++) { /* the count grows while we walk */
        const unsigned slot = c->met[i] - 1U, tag = tag_of(s, slot);
        for (unsigned l = 0; l < LINKS_OF(tag); l++) {
            meet(c, link_at(s, slot, LINK_OF(tag, l)));
        }
    }
}

/* ------------------------------------------------------------------------------------------- already in order */

/* If the numbers are those of the chains, the next new one is always one more than the greatest so far.  So the slots
   are read one after the other, and no read waits for another.  Returns how many objects there are, or NO_ORDER. */
#define NO_ORDER UINT32_MAX

ALWAYS_INLINE unsigned count_in_order(const word *s, const struct pointer_place *roots, unsigned n_roots)
{
    unsigned count = 0, seen = 0;
    for (unsigned i = 0; i < n_roots; i++) {
        unsigned value = pointer_at(s, roots + i), wrong = value > count + 1;
        count = value > count ? value : count;
        for (; seen < count && !wrong; seen++) {
            const unsigned tag = tag_of(s, seen);
            UNROLL
            for (unsigned l = 0; l < LINKS_OF(tag); l++) {
                value = link_at(s, seen, LINK_OF(tag, l));
                wrong |= value > count + 1;
                count = value > count ? value : count;
            }
        }
        if (wrong) {
            return NO_ORDER;
        }
    }
    return count;
}

/* ------------------------------------------------------------------------------------------- moving */

/* Behind the last object there is nothing. */
ALWAYS_INLINE void clear_behind(word *s, unsigned count)
{
#if KEEPS
    for (unsigned i = 0; i < KEEPS; i++) {
        s[FIRST_KEPT + i] &= KEEP[count][i];
    }
#else
    for (unsigned i = count; i < HEAP_SLOTS; i++) {
        clear_cell(s, i);
    }
#endif
}

/* Every object goes to its number, with its links renamed. */
#if CELL_WORDS == 1
ALWAYS_INLINE void move_objects(word *s, const struct chains *c)
{
    word cells[HEAP_SLOTS];
    for (unsigned i = 0; i < c->count; i++) {
        word cell = cell_of(s, c->met[i] - 1U);
        const unsigned tag = (unsigned)(cell & ones(KIND_BITS));
        UNROLL
        for (unsigned l = 0; l < LINKS_OF(tag); l++) {
            const unsigned shift = LINK_OF(tag, l)->shift;
            const word value = c->number[cell >> shift & ones(POINTER_BITS)];
            cell = (cell & ~(ones(POINTER_BITS) << shift)) | value << shift;
        }
        cells[i] = cell;
    }
    clear_behind(s, 0);
    for (unsigned i = 0; i < c->count; i++) {
        s[CELL_WORD[i]] |= cells[i] << CELL_SHIFT[i];
    }
}
#else
ALWAYS_INLINE void move_objects(word *s, const struct chains *c)
{
    word cells[HEAP_SLOTS][CELL_WORDS];
    for (unsigned i = 0; i < c->count; i++) {
        const unsigned slot = c->met[i] - 1U, tag = tag_of(s, slot);
        memcpy(cells[i], s + CELL_WORD[slot], sizeof cells[i]);
        for (unsigned l = 0; l < LINKS_OF(tag); l++) {
            const struct pointer_place *p = LINK_OF(tag, l);
            put(cells[i] + p->word, p->shift, ones(POINTER_BITS), c->number[link_at(s, slot, p)]);
        }
    }
    for (unsigned i = 0; i < c->count; i++) {
        memcpy(s + CELL_WORD[i], cells[i], sizeof cells[i]);
    }
    clear_behind(s, c->count);
}
#endif

static __attribute__((noinline)) void put_in_order(word *s, const struct pointer_place *roots, unsigned n_roots)
{
    struct chains c;
    c.count = 0;
    memset(c.number, 0, sizeof c.number);
    for (unsigned i = 0; i < n_roots; i++) {
        const unsigned before = c.count;
        meet(&c, pointer_at(s, roots + i));
        follow_links(s, &c, before);
    }
    for (unsigned i = 0; i < n_roots; i++) {
        set_pointer_at(s, roots + i, c.number[pointer_at(s, roots + i)]);
    }
    move_objects(s, &c);
}

/* A state becomes the one that stands for all that differ from it in addresses and garbage. */
ALWAYS_INLINE void fold_heap(word *s)
{
    struct pointer_place room[MOST_ROOTS];
    unsigned n_roots;
    const struct pointer_place *roots = find_roots(s, room, &n_roots);
    const unsigned count = count_in_order(s, roots, n_roots);
    if (count == NO_ORDER) {
        put_in_order(s, roots, n_roots);
        return;
    }
    clear_behind(s, count);
}

#endif
