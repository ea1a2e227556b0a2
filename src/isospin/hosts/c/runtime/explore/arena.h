/* Memory of the search and of what it remembers: never the program's, never restored by a reset.
 *
 * One range of address space, given out in pieces.  In fork mode it is shared with the children, so that what one
 * execution finds out is there in the next.  Nothing here uses libc's malloc.
 */
#ifndef ISOSPIN_ARENA_H
#define ISOSPIN_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Before anything else of this file; once. */
void arena_open(bool shared);
/* Zeroed, aligned to 16 bytes, never NULL: if nothing is left, `arena_full` is told and the process ends. */
void *arena_take(size_t size);
/* Back; `size` as it was taken. */
void arena_give(void *piece, size_t size);
/* A larger piece with the same content, the rest zeroed; the old one is given back. */
void *arena_grow(void *piece, size_t old_size, size_t new_size);
/* Told before the process ends for lack of memory; may be NULL. */
extern void (*arena_full)(void);

/* Room for `wanted` entries in a growing array: GROW(list, capacity, 7) makes list[0 .. 6] usable. */
#define GROW(list, capacity, wanted) \
    ((size_t)(wanted) > (size_t)(capacity) ? (list) = arena_grown((list), &(capacity), (wanted), sizeof *(list)) \
                                           : (list))
void *arena_grown(void *list, unsigned *capacity, size_t wanted, size_t entry);

#endif
