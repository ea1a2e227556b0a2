#include "symmetry/cells.h"

#include "libc/heap.h"
#include "fibers/memory.h"
#include "symmetry/blocks.h"
#include "symmetry/bystander.h"
#include "numbers/numbers.h"
#include "symmetry/scene.h"

enum kind { VARIABLE, LOCAL, BLOCK };

struct cell {
    enum kind kind;
    uintptr_t low;
    size_t size;
    bool whole; /* no element of something larger */
    const struct made *elements; /* of a block, if that is known */
};

/* The element of an array that an address is in, or all of it. */
static struct cell element(enum kind kind, uintptr_t low, uintptr_t high, size_t stride, uintptr_t address)
{
    /* SOUND: an address in one element leads to others by arithmetic, and the image of that address does not. */
    if (stride < high - low && scene_walks(stride))
        stride = high - low;
    return (struct cell){kind, low + (address - low) / stride * stride, stride, stride == high - low, NULL};
}

static bool variable_around(uintptr_t address, struct cell *found)
{
    struct global global;
    int number = place_global(address, &global);
    /* SOUND: code has addresses of variables in it, and these do not move; where all that it does with them is known,
     * that is looked at in the end (numbers.h). */
    if (number < 0 || global.fixed || numbers_pin(number))
        return false;
    *found = element(VARIABLE, global.low, global.high, global.stride, address);
    return true;
}

static bool block_around_address(uintptr_t address, struct cell *found)
{
    const struct block *block = block_around(address);
    if (!block) /* it may point just behind the last byte */
        block = block_around(address - 1);
    if (!block || block->freed || address - (uintptr_t)(block + 1) > block->size)
        return false;
    uintptr_t low = (uintptr_t)(block + 1);
    const struct made *made = block_elements(block);
    bool inside = made && address - low < block->size;
    *found = element(BLOCK, low, low + block->size, inside ? made->size : block->size, inside ? address : low);
    found->elements = made;
    return true;
}

/* SOUND: the function that the variable belongs to does not use it any more, or is watched. */
static bool is_used(const struct thread *thread, const struct frame *frame, uintptr_t low, uintptr_t high)
{
    if (main_stands_by && thread->number == 0)
        return false;
    for (unsigned i = 0; i < frame->place->live_count; i++) {
        uintptr_t from = frame->top + (uintptr_t)(intptr_t)frame->place->live[i].low;
        uintptr_t to = frame->top + (uintptr_t)(intptr_t)frame->place->live[i].high;
        if (from < high && low < to)
            return true;
    }
    return false;
}

static bool local_around(const struct thread *thread, uintptr_t address, struct cell *found)
{
    if (thread->life != LIVING || !has_begun(thread))
        return false;
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++) {
        const struct frame *frame = &walk->frames[i];
        uintptr_t low, high;
        size_t stride;
        if (address >= frame->top || !memory_variable(frame, address, &low, &high, &stride))
            continue;
        if (is_used(thread, frame, low, high))
            return false;
        *found = element(LOCAL, low, high, stride, address);
        return true;
    }
    return false;
}

static bool cell_around(const struct renaming *renaming, uintptr_t address, struct cell *found)
{
    int owner = region_owner(address);
    if (owner < 0)
        return variable_around(address, found);
    if (renaming->to[owner] != owner || thread_of(owner)->life == UNBORN)
        return false;
    if (in_heap(address))
        return block_around_address(address, found);
    return in_stack(address, owner) && local_around(thread_of(owner), address, found);
}

static bool overlaps(const struct renaming *renaming, uintptr_t low, size_t size)
{
    for (int i = 0; i < renaming->count; i++)
        if (renaming->cells[i].from < low + size && low < renaming->cells[i].from + renaming->cells[i].size)
            return true;
    return false;
}

/* Words of a cell that move as it does need not move by themselves. */
static void absorb(struct renaming *renaming, const struct cell *first, const struct cell *second)
{
    int kept = 0;
    for (int i = 0; i < renaming->count; i++) {
        const struct move *move = &renaming->cells[i];
        bool inside = move->from >= first->low && move->from + move->size <= first->low + first->size;
        if (!inside || move->from - first->low != move->to - second->low)
            renaming->cells[kept++] = *move;
    }
    renaming->count = kept;
}

bool cells_bind_word(struct renaming *renaming, uintptr_t one, uintptr_t other)
{
    if (overlaps(renaming, one, sizeof one) || !race_private(0, one, sizeof one, renaming) ||
        !race_private(0, other, sizeof other, renaming))
        return false;
    return renaming_add(renaming, (struct move){one, other, sizeof one, .name = true});
}

bool cells_bind(struct renaming *renaming, uintptr_t one, uintptr_t other)
{
    struct cell first, second;
    if (!cell_around(renaming, one, &first) || !cell_around(renaming, other, &second))
        return false;
    if (first.kind != second.kind || first.size != second.size || one - first.low != other - second.low ||
        first.whole != second.whole || !same_elements(first.elements, second.elements))
        return false;
    for (int i = 0; i < renaming->count; i++)
        if (renaming->cells[i].from == first.low || renaming->cells[i].to == second.low)
            return false;
    absorb(renaming, &first, &second);
    return !overlaps(renaming, first.low, first.size) &&
           renaming_add(renaming, (struct move){first.low, second.low, first.size, first.kind == BLOCK && first.whole});
}

bool cells_have_no_seats(const struct renaming *renaming)
{
    for (int i = 0; i < renaming->count; i++)
        if (has_seats(renaming->cells[i].from)) {
            learn_no_seats();
            return false;
        }
    return true;
}

bool cells_equally_visible(const struct renaming *renaming)
{
    for (int i = 0; i < renaming->count; i++) {
        const struct move *move = &renaming->cells[i];
        size_t step = (move->from | move->to) % 8 ? 1 : 8; /* it is known of 8 bytes together */
        for (size_t at = 0; at < move->size; at += step)
            if (known_visible(move->from + at, 1) != known_visible(move->to + at, 1))
                return false;
    }
    return true;
}

void cells_variables(const struct renaming *renaming, uintptr_t *low, uintptr_t *high)
{
    *low = *high = 0;
    for (int i = 0; i < renaming->count; i++) {
        const struct move *move = &renaming->cells[i];
        if (region_owner(move->from) >= 0)
            continue;
        if (!*high || move->from < *low)
            *low = move->from;
        if (move->from + move->size > *high)
            *high = move->from + move->size;
    }
}
