/* Where numbers of threads are carried in memory (numbers.h). */
#include "runtime.h"

#include "numbers/numbers.h"

#include "fibers/memory.h"
#include "symmetry/blocks.h"

static uintptr_t place_in(const struct frame *frame, int32_t offset)
{
    return frame->top + (uintptr_t)(intptr_t)offset;
}

static uint64_t carrier_in_variable(uintptr_t address, size_t most, size_t *size)
{
    int count, low = 0;
    const struct global_part *parts = place_parts(&count);
    int high = count;
    while (low < high) { /* the first one that ends behind the address */
        int middle = (low + high) / 2;
        if (parts[middle].address + parts[middle].size > address)
            high = middle;
        else
            low = middle + 1;
    }
    *size = low < count && parts[low].address - address < most ? parts[low].address - address : most;
    if (low == count || parts[low].address != address || parts[low].size > most || !parts[low].size)
        return 0;
    *size = parts[low].size;
    return parts[low].carrier;
}

static uint64_t carrier_in_frame(const struct frame *frame, uintptr_t address, size_t most, size_t *size)
{
    *size = most;
    for (unsigned i = 0; i < frame->place->carried_count; i++) {
        const struct carried *carried = &frame->place->carried[i];
        uintptr_t at = place_in(frame, carried->low);
        if (at == address && carried->size && (size_t)carried->size <= most) {
            *size = (size_t)carried->size;
            return carried->carrier;
        }
        if (at > address && at - address < *size)
            *size = at - address;
    }
    return 0;
}

uint64_t numbers_carrier(uintptr_t address, size_t most, size_t *size)
{
    int owner = region_owner(address);
    if (owner < 0)
        return carrier_in_variable(address, most, size);
    *size = most;
    if (in_heap(address))
        return carrier_in_block(address, most, size);
    if (!in_stack(address, owner) || thread_of(owner)->life != LIVING || !has_begun(thread_of(owner)))
        return 0;
    const struct walk *walk = memory_walk(thread_of(owner));
    for (int i = 0; i < walk->count; i++)
        if (address < walk->frames[i].top)
            return carrier_in_frame(&walk->frames[i], address, most, size);
    return 0;
}

bool blame_place(uintptr_t where)
{
    if (!broken_rule.where)
        broken_rule.where = where;
    return false;
}

const char about_to_do[] = "what they are about to do";

const char *blame_record(const struct thread *one, const struct thread *other)
{
    if (!broken_rule.at && !broken_rule.carrier && !broken_rule.where) {
        broken_rule.at = (uintptr_t)one->operation.pc - has_begun(one); /* behind a call, or where it begins */
        broken_rule.where = one->object;
    }
    bool alike = one->detached == other->detached && one->joined == other->joined;
    return alike ? about_to_do : "how they were started: only one of them is detached, or was joined";
}
