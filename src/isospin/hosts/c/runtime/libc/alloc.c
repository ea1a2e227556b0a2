/* malloc and its relatives.
 *
 * A thread allocates in its own region, upwards, so that an address depends on nothing but the thread's own history.
 * What was freed is not given out again in the same execution (a use after free is seen, however late), unless --reuse
 * asks for it; only when a thread has used up its region does the program get NULL.  One byte for each 16 bytes of heap
 * says how many of them may be used.
 */
#include "runtime.h"

#include "foresee/seen/spots.h"
#include "graphs/history.h"

#include "system/files.h"
#include "libc/heap.h"
#include "symmetry/bystander.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 1 << 18 };

static void set_live(uintptr_t address, size_t size, bool live)
{
    uint8_t *granule = live_at(address);
    memset(granule, live ? LIVE_UNIT : FREED, size / LIVE_UNIT);
    if (size % 16)
        granule[size / LIVE_UNIT] = live ? (uint8_t)(size % LIVE_UNIT) : FREED;
}

void open_first(void)
{
    static bool opened;
    if (opened)
        return;
    opened = true;
    region_open(0);
    *current = (struct thread){.self = REGION_BASE, .heap_top = REGION_BASE + HEAP_FROM};
}

/* Where the caller of a function of ours will return to.  Only who knows that the caller has a frame may rely on it:
 * code of the program has one, that of libraries may not. */
static const void *outer_caller(void **entry)
{
    void **frame = entry[0];
    bool above = frame > entry && (uintptr_t)frame % sizeof *frame == 0;
    bool inside = running && above && in_stack((uintptr_t)(frame + 1), current->number);
    return inside ? frame[1] : NULL;
}

static void *with_caller(void *block, void **entry)
{
    if (block)
        block_of((uintptr_t)block)->outer = outer_caller(entry);
    return block;
}

/* The bytes are other ones now, and nobody is told. */
static void store_unannounced(uintptr_t from, size_t size)
{
    if (spots_watched && size)
        spots_store(current->number, from, size);
}

/* ---------------------------------------------------------------- reuse, on request */

/* Where the last block of this size stands that the thread itself freed: what others do has no influence on it. */
static struct block **last_freed(size_t size)
{
    struct block **place = &current->freed;
    while (*place && ((*place)->size != size || (*place)->mapped))
        place = &(*place)->freed_before;
    return place;
}

/* With --reuse: the block that libc would most likely give out again, or a fresh one; both are tried. */
static void *reused(size_t size, void **entry)
{
    if (!program_options.reuse || !running ||
        is_libc_code(entry[1])) /* libc may hold a lock of its own: no switch there */
        return NULL;
    struct block *block = *last_freed(size);
    if (!block)
        return NULL;
    pend(OP_TOSS, entry);
    current->chosen = 2;
    if (perform() == 0)
        return NULL;
    *last_freed(size) = block->freed_before;
    block->freed = 0;
    block->pc = entry[1];
    block->outer = outer_caller(entry);
    set_live((uintptr_t)(block + 1), size | !size, true);
    store_unannounced((uintptr_t)(block + 1), size);
    return block + 1;
}

void *allocate(size_t size, size_t alignment, const void *pc)
{
    open_first();
    spin_effect();
    uintptr_t from = (current->heap_top + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    size_t room = (size | !size) + 15;
    if (size > HEAP_END || from + room >= current->self + HEAP_END)
        return NULL;
    room &= ~(size_t)15;
    current->heap_top = from + room;
    uint32_t shift = seat_taken(current, from, room, alignment);
    *block_of(from) = (struct block){.size = size, .pc = pc, .previous = current->blocks, .shift = shift};
    current->blocks = block_of(from);
    set_live(from, size | !size, true);
    return (void *)from;
}

/* ---------------------------------------------------------------- whole pages, for mmap */

/* What lies behind the bytes that were asked for can be used; but hardly anybody does, and what cannot be used need not
 * be looked at when the pages are given back. */
void *allocate_pages(size_t size, size_t room, const void *pc)
{
    void *from = allocate(room, 4096, pc);
    if (!from)
        return NULL;
    size_t kept = (size + LIVE_UNIT - 1) & ~(size_t)(LIVE_UNIT - 1);
    memset(live_at((uintptr_t)from + kept), 0, (room - kept) / LIVE_UNIT);
    block_of((uintptr_t)from)->size = kept;
    block_of((uintptr_t)from)->mapped = 1;
    return from;
}

/* Somebody does. */
void use_pages(void *from, size_t room)
{
    block_of((uintptr_t)from)->size = room;
    set_live((uintptr_t)from, room, true);
}

/* ---------------------------------------------------------------- checks */

static _Noreturn void outside_block(uintptr_t address, bool writes, const void *pc)
{
    const char *how = writes ? "writes" : "reads";
    if (*live_at(address) == FREED)
        fail("use-after-free", pc, "thread %d %s memory at %p that was freed", current->number, how, (void *)address);
    fail("out-of-bounds", pc, "thread %d %s heap memory at %p that is in no block", current->number, how,
         (void *)address);
}

/* The first byte that may not be touched, or 0. */
static uintptr_t first_dead(uintptr_t from, size_t size)
{
    uintptr_t last = from + size - 1;
    for (uintptr_t at = from; at <= last; at = (at | 15) + 1) {
        unsigned usable = *live_at(at);
        uintptr_t end = (at | 15) < last ? (at | 15) : last;
        if (usable == FREED || end % 16 >= usable)
            return at;
    }
    return 0;
}

bool is_alive(uintptr_t from, size_t size) { return !in_heap(from) || !first_dead(from, size); }

bool known_freed(uintptr_t from, size_t size)
{
    return !program_options.reuse && in_heap(from) && *live_at(from) == FREED && *live_at(from + size - 1) == FREED;
}

void check_alive(uintptr_t from, size_t size, bool writes, const void *pc)
{
    if (!in_heap(from) || !size || !running)
        return;
    uintptr_t dead = first_dead(from, size);
    if (dead && mappings_reach(dead))
        dead = first_dead(from, size);
    if (dead)
        outside_block(dead, writes, pc);
}

struct block *block_around(uintptr_t address)
{
    uintptr_t at = address & ~(uintptr_t)15;
    if (!*live_at(at))
        return NULL;
    while (*live_at(at - 16)) /* there is nothing to be used before a block */
        at -= 16;
    return block_of(at);
}

static struct block *checked_block(void *address, const char *what, const void *pc)
{
    uintptr_t at = (uintptr_t)address;
    if (!in_heap(at) || at % 16 || !block_around(at) || (uintptr_t)(block_around(at) + 1) != at)
        fail("invalid-free", pc, "%s of %p, which malloc did not return", what, address);
    struct block *block = block_of(at);
    if (*live_at(at) == FREED)
        fail("double-free", pc, "%s of a block that was freed before", what);
    return block;
}

/* What munmap gives back is a block, too. */
static void check_allocated(void *address, const char *what, const void *pc)
{
    if (checked_block(address, what, pc)->mapped)
        fail("invalid-free", pc, "%s of %p, which malloc did not return", what, address);
}

/* ---------------------------------------------------------------- the functions */

static __attribute__((noinline)) void check_free_race(uintptr_t from, size_t size, const void *pc)
{
    struct race race;
    if (!race_free(current->number, from, size, pc, &race))
        return;
    learn_visible(race.from, race.size);
    if (memory_model) /* nothing orders them, so both orders are possible */
        fail("use-after-free", pc, "nothing orders an access by thread %d before the memory is freed", race.other);
}

/* SOUND: to free is to write all bytes of a block.  A free that another thread's access is not ordered with makes the
 * bytes visible, and the order in which the free comes first is explored as well. */
void release_block(void *address, void **entry)
{
    settle(entry);
    struct block *block = checked_block(address, "free", entry[1]);
    size_t size = block->size;
    if (running && size && known_visible((uintptr_t)address, size)) {
        touch(pend(OP_FREE, entry), MEMORY, (uintptr_t)address, (uint32_t)size, true, false);
        perform();
        checked_block(address, "free", entry[1]);
    }
    watch_ahead((uintptr_t)address, size, true);
    stand_by((uintptr_t)address, size, true);
    if (running && size)
        check_free_race((uintptr_t)address, size, entry[1]);
    store_unannounced((uintptr_t)address, size);
    block->freed = 1;
    block->pc = entry[1];
    block->freed_before = current->freed;
    current->freed = block;
    set_live((uintptr_t)address, size | !size, false);
    seat_given_back(block);
}

static void *or_error(void *block)
{
    if (!block)
        errno = ENOMEM;
    return block;
}

EXPORT void *malloc(size_t size)
{
    void **entry = HERE, *again = reused(size, entry);
    return again ? again : or_error(with_caller(allocate(size, 16, entry[1]), entry));
}

EXPORT void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return or_error(NULL);
    void **entry = HERE, *again = reused(bytes, entry);
    if (again)
        return memset(again, 0, bytes);
    return or_error(with_caller(allocate(bytes, 16, entry[1]), entry)); /* a fresh one is zero */
}

EXPORT void free(void *address)
{
    if (!address)
        return;
    check_allocated(address, "free", HERE[1]);
    release_block(address, HERE);
}

EXPORT void *realloc(void *address, size_t size)
{
    void **entry = HERE;
    if (!address)
        return or_error(allocate(size, 16, entry[1]));
    check_allocated(address, "realloc", entry[1]);
    size_t old = block_of((uintptr_t)address)->size;
    void *larger = allocate(size, 16, entry[1]);
    if (!larger)
        return or_error(NULL);
    size_t kept = old < size ? old : size;
    access_memory((uintptr_t)address, kept, false, entry);
    memcpy(larger, address, kept);
    store_unannounced((uintptr_t)larger, kept);
    release_block(address, entry);
    return larger;
}

EXPORT void *reallocarray(void *address, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return or_error(NULL);
    return realloc(address, bytes);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return EINVAL;
    void **entry = HERE, *block = allocate(size, alignment < 16 ? 16 : alignment, entry[1]);
    if (!block)
        return ENOMEM;
    access_memory((uintptr_t)result, sizeof *result, true, entry);
    *result = block;
    return 0;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    if (alignment & (alignment - 1))
        return or_error(NULL);
    return or_error(allocate(size, alignment < 16 ? 16 : alignment, HERE[1]));
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    if (alignment & (alignment - 1))
        return or_error(NULL);
    return or_error(allocate(size, alignment < 16 ? 16 : alignment, HERE[1]));
}

EXPORT void *valloc(size_t size) { return or_error(allocate(size, 4096, HERE[1])); }

EXPORT size_t malloc_usable_size(void *address) { return address ? block_of((uintptr_t)address)->size : 0; }

/* ---------------------------------------------------------------- back to the initial state */

static void clear(uintptr_t from, uintptr_t to)
{
    if (to - from < LARGE) {
        memset((void *)from, 0, to - from);
        return;
    }
    uintptr_t page = (from + 4095) & ~(uintptr_t)4095;
    memset((void *)from, 0, page - from);
    madvise((void *)page, to - page, MADV_DONTNEED);
}

static uintptr_t first_top; /* what constructors allocated in the region of main ends here */
static char *first_bytes, *first_live;

static size_t live_size(size_t size) { return (size + LIVE_UNIT - 1) / LIVE_UNIT; }

void heap_save(void)
{
    open_first();
    spin_effect();
    uintptr_t from = REGION_BASE + HEAP_FROM;
    first_top = current->heap_top;
    first_bytes = own_memory(first_top - from + 1);
    first_live = own_memory(live_size(first_top - from) + 1);
    memcpy(first_bytes, (void *)from, first_top - from);
    memcpy(first_live, live_at(from), live_size(first_top - from));
}

void heap_reset(struct thread *thread)
{
    uintptr_t from = thread->self + HEAP_FROM, keep = thread->number == 0 ? first_top : from;
    clear(keep, thread->heap_top);
    clear((uintptr_t)live_at(keep), (uintptr_t)live_at(thread->heap_top - 1) + 1);
    if (keep != from) {
        memcpy((void *)from, first_bytes, keep - from);
        memcpy(live_at(from), first_live, live_size(keep - from));
    }
    thread->heap_top = keep;
    seats_reset();
}
