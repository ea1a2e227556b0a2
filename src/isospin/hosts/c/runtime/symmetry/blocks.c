#include "runtime.h"

#include "symmetry/blocks.h"

#include "fibers/memory.h"

/* SOUND: a struct with something behind it is no array of structs; where the sizes agree by chance, the pointers of the
 * program tell (hosts/c/binary/blocks.py). */
const struct made *block_elements(const struct block *block)
{
    const struct made *made =
        block->freed || !block->pc ? NULL : place_made((uintptr_t)block->pc, (uintptr_t)block->outer);
    return made && block->size && block->size % made->size == 0 ? made : NULL;
}

const struct made *elements_at(uintptr_t address)
{
    const struct block *block = block_around(address);
    return block ? block_elements(block) : NULL;
}

static uintptr_t seat_in_range(const struct block *block) { return seat_of_block(block) % REGION_SIZE; }

bool same_seats(const struct thread *one, const struct thread *other)
{
    const struct block *first = one->blocks, *second = other->blocks;
    for (; first && second; first = first->previous, second = second->previous)
        if (seat_in_range(first) != seat_in_range(second) || first->size != second->size ||
            first->freed != second->freed || first->seat != second->seat)
            return false;
    return !first && !second; /* so the next one gets the same seat, behind the newest */
}

bool same_elements(const struct made *one, const struct made *other)
{
    if (one == other || !one || !other)
        return one == other;
    if (one->size != other->size || one->count != other->count)
        return false;
    for (unsigned i = 0; i < one->count; i++)
        if (one->parts[i].carrier != other->parts[i].carrier || one->parts[i].offset != other->parts[i].offset)
            return false;
    return true;
}

uint64_t carrier_in_block(uintptr_t address, size_t most, size_t *size)
{
    const struct block *block = block_around(address);
    const struct made *made = block ? block_elements(block) : NULL;
    *size = most;
    if (!made)
        return 0;
    size_t offset = (address - (uintptr_t)(block + 1)) % made->size;
    if (*size > made->size - offset)
        *size = made->size - offset;
    for (unsigned i = 0; i < made->count; i++) {
        const struct made_part *part = &made->parts[i];
        if (part->offset == offset && part->size <= most) {
            *size = part->size;
            return part->carrier;
        }
        if (part->offset > offset && part->offset - offset < *size)
            *size = part->offset - offset;
    }
    return 0;
}

/* ---------------------------------------------------------------- all of them */

struct visitor {
    const struct renaming *renaming;
    carried_visit visit;
    void *context;
};

static bool visit_element(const struct made *made, uintptr_t from, const struct visitor *visitor)
{
    uintptr_t to = renaming_image(visitor->renaming, from);
    if (to != from && !same_elements(made, elements_at(to)))
        to = 0;
    for (unsigned i = 0; i < made->count; i++) {
        const struct made_part *part = &made->parts[i];
        if (!visitor->visit(part, from + part->offset, to ? to + part->offset : 0, visitor->context))
            return false;
    }
    return true;
}

static bool visit_block(const struct part *part, void *context)
{
    const struct made *made = block_elements(block_of(part->from));
    for (size_t at = 0; made && at < part->size; at += made->size)
        if (!visit_element(made, part->from + at, context))
            return false;
    return true;
}

bool blocks_each(const struct renaming *renaming, carried_visit visit, void *context)
{
    struct visitor visitor = {renaming, visit, context};
    for (int i = 0; i < now.threads; i++)
        if (thread_of(i)->life != UNBORN && !memory_heap(thread_of(i), visit_block, &visitor))
            return false;
    return true;
}
