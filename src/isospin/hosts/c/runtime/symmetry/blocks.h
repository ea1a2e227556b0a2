/* What is in blocks of the heap, as far as the code says it that asked for them. */
#ifndef ISOSPIN_BLOCKS_H
#define ISOSPIN_BLOCKS_H

#include "symmetry/renaming.h"

#include "libc/heap.h"
#include "wire/places.h"

/* Of a block that is not freed: what its elements are; NULL: that is not known. */
const struct made *block_elements(const struct block *block);
/* The same for the block that an address is in. */
const struct made *elements_at(uintptr_t address);
/* Do two threads have blocks of the same sizes in the same seats, and will they get the same ones? */
bool same_seats(const struct thread *one, const struct thread *other);
/* Do elements of both hold the same? */
bool same_elements(const struct made *one, const struct made *other);
/* As numbers_carrier, of a block. */
uint64_t carrier_in_block(uintptr_t address, size_t most, size_t *size);

/* Told of what carries numbers in all blocks: where it is, and where it goes; false: enough.  `to` is 0 if the renaming
 * leads to something of another kind. */
typedef bool (*carried_visit)(const struct made_part *part, uintptr_t from, uintptr_t to, void *context);
bool blocks_each(const struct renaming *renaming, carried_visit visit, void *context);

#endif
