/* Seats: where the blocks of a thread would lie if what it frees could be given out again.
 *
 * A freed block is not given out again (alloc.c), so a thread that has allocated and freed goes on at other addresses
 * than one that has not, and the exchange of their ranges would not fit for what both allocate later.  So a block has a
 * seat besides its address: that of the first block at the start of the heap, that of each other one behind the newest
 * block that its thread has not freed.  Where threads are compared and renamed, and for all that is known beyond one
 * execution, seats stand for addresses; two blocks may have had the same one, but not at the same time.
 *
 * A worked example.  Thread 1 asks for 16 bytes, frees them, and asks again: both times the seat is 0x100040200030, and
 * the second block lies at 0x100040200070.  A pointer to it has as its image the first block of thread 2, if it has
 * one, at 0x100080200030.  A pointer to the block that was freed has no image.
 *
 * Reference: fibers/region.h.
 * Differs: -.  SOUND: a seat depends on nothing but the history of its thread, as an address does: what others free
 * leaves its seat taken.  The exchange of two threads with the same seats, sizes and contents takes each block to the
 * one with the same seat; what they allocate later gets the same seats again.  Objects of synchronisation keep their
 * seats, since the search knows who has a lock by its seat.  Main has addresses only, since its blocks may be exchanged
 * with each other (cells.h), and then others would be the newest; where that is wished of other threads' blocks, there
 * are no seats.  The heaps of all threads together are smaller than one range, so nobody runs out of memory under
 * another name.
 */
#include "runtime.h"

#include "libc/heap.h"

#include <string.h>

bool seats_shifted;
static bool seats_used;
static struct {
    uintptr_t low, high, shift; /* of the block that was asked for last */
} last;

void seats_open(void) { seats_used = !program_options.reuse; }

void seats_reset(void)
{
    seats_shifted = false;
    memset(&last, 0, sizeof last);
}

/* ---------------------------------------------------------------- seats are taken and given back */

bool has_seats(uintptr_t address)
{
    return seats_used && in_heap(address) && region_owner(address) != 0 && known_seats();
}

uint32_t seat_taken(struct thread *thread, uintptr_t from, size_t room, size_t alignment)
{
    if (!has_seats(from))
        return 0;
    uintptr_t seat = (thread->seat_top + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    thread->seat_top = seat + room;
    now.allocated += room;
    if (now.allocated > HEAP_END / 2) /* with what lies between blocks */
        learn_no_seats();
    seats_shifted |= from != seat;
    return (uint32_t)((from - seat) / 16);
}

/* SOUND: as far as they are given back by the thread itself; a hole is left as it is. */
static void leave_seats(struct thread *thread)
{
    struct block *block = thread->blocks;
    for (; block && block->seat == GIVEN_BACK; block = block->previous)
        block->seat = LEFT;
    thread->blocks = block;
    size_t room = block ? ((block->size | !block->size) + 15) & ~(size_t)15 : 0;
    thread->seat_top = block ? seat_of_block(block) + room : thread->self + HEAP_FROM;
}

void seat_given_back(struct block *block)
{
    uintptr_t address = (uintptr_t)block;
    if (!has_seats(address) || region_owner(address) != current->number || block->seat == KEPT)
        return;
    block->seat = GIVEN_BACK;
    leave_seats(current);
}

void seat_kept(uintptr_t address)
{
    struct block *block = seats_used && in_heap(address) ? block_around(address) : NULL;
    if (block)
        block->seat = KEPT;
}

/* ---------------------------------------------------------------- addresses, seats and their images */

struct block *block_about(uintptr_t address)
{
    struct block *block = block_around(address);
    return block ? block : block_around(address - 1);
}

uintptr_t seat_behind(uintptr_t address)
{
    if (!in_heap(address))
        return address;
    if (address - last.low >= last.high - last.low) {
        const struct block *block = block_about(address);
        last.low = block ? (uintptr_t)(block + 1) : address;
        last.high = block ? last.low + block->size : address + 1;
        last.shift = block ? block->shift * (uintptr_t)16 : 0;
    }
    return address - last.shift;
}

static const struct block *block_at_seat(const struct thread *thread, uintptr_t seat)
{
    const struct block *block = thread->blocks;
    while (block && seat_of_block(block) != seat)
        block = block->previous;
    return block;
}

/* Two blocks that were freed, at the same place of their ranges. */
static bool both_left(const struct block *block, uintptr_t there)
{
    const struct block *other = block_around(there);
    return other && (uintptr_t)(other + 1) == there && other->seat == LEFT && other->size == block->size;
}

static uintptr_t heap_image(uintptr_t address, int to)
{
    const struct block *block = block_about(address);
    if (!block)
        return NOWHERE;
    uintptr_t from = (uintptr_t)(block + 1), there = region_of(to) + from % REGION_SIZE;
    if (block->seat == LEFT)
        return both_left(block, there) ? there + (address - from) : NOWHERE;
    block = block_at_seat(thread_of(to), region_of(to) + seat_of_block(block) % REGION_SIZE);
    return block ? (uintptr_t)(block + 1) + (address - from) : NOWHERE;
}

uintptr_t region_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    int owner = region_owner(address);
    if (owner < 0 || to[owner] == owner)
        return address;
    if (seats_shifted && in_heap(address) && thread_of(owner)->life != UNBORN && thread_of(to[owner])->life != UNBORN)
        return heap_image(address, to[owner]);
    return region_of(to[owner]) + address % REGION_SIZE;
}

uintptr_t seat_image(uintptr_t seat, const uint8_t to[MOST_THREADS])
{
    int owner = region_owner(seat);
    return owner < 0 ? seat : region_of(to[owner]) + seat % REGION_SIZE;
}
