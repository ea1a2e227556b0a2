/* Blocks that nobody freed and nobody can reach: from global variables, from the stacks and registers of threads that
 * live, or from blocks that are reached.  Conservative: whatever looks like an address is one. */
#include "runtime.h"

#include "libc/heap.h"

#include <sys/mman.h>

enum { MOST_OPEN = 1 << 20 };

static struct block **open_blocks; /* reached, but not yet looked into */
static size_t open_count;

static void reach(uintptr_t word)
{
    struct block *block = in_heap(word) ? block_around(word) : NULL;
    if (!block || block->freed || block->marked || open_count == MOST_OPEN)
        return;
    block->marked = 1;
    open_blocks[open_count++] = block;
}

static void scan(const char *from, size_t size)
{
    uintptr_t first = ((uintptr_t)from + 7) & ~(uintptr_t)7, end = (uintptr_t)from + size;
    for (; first + 8 <= end; first += 8)
        reach(*(const uintptr_t *)first);
}

static void scan_thread(const struct thread *thread)
{
    char *from;
    size_t size;
    tls_block(thread, &from, &size);
    if (thread->life == LIVING || thread->leaves)
        scan((const char *)thread->entry, thread->self + REGION_SIZE - (uintptr_t)thread->entry);
    if (thread->life == LIVING || thread->number == 0)
        scan(from, size);
    scan((const char *)(thread->self + SPECIFIC_FROM), (size_t)thread->specific * sizeof(void *));
    reach((uintptr_t)thread->late);
    reach((uintptr_t)thread->argument);
    if (!thread->joined)
        reach((uintptr_t)thread->result);
}

static void mark_all(void)
{
    const struct piece *pieces;
    int count = reset_pieces(&pieces);
    reach((uintptr_t)now.at_exit);
    reach((uintptr_t)now.at_quick_exit);
    for (int i = 0; i < count; i++)
        scan(pieces[i].from, pieces[i].size);
    for (int i = 0; i < now.threads; i++)
        if (thread_of(i)->life != UNBORN)
            scan_thread(thread_of(i));
    while (open_count) {
        struct block *block = open_blocks[--open_count];
        scan((const char *)(block + 1), block->size);
    }
}

const struct finding *find_leak(void)
{
    if (!open_blocks)
        open_blocks = own_memory(MOST_OPEN * sizeof *open_blocks);
    mark_all();
    for (int i = 0; i < now.threads; i++) {
        const struct thread *thread = thread_of(i);
        for (const struct block *b = thread->life == UNBORN ? NULL : thread->blocks; b; b = b->previous)
            if (!b->freed && !b->marked && b->pc && !b->mapped) {
                found = (struct finding){
                    .kind = "leak", .thread = i, .pc = b->pc, .other = -1, .address = (uintptr_t)(b + 1)};
                describe_finding("%zu bytes that thread %d allocated are never freed", b->size, i);
                return &found;
            }
    }
    return NULL;
}
