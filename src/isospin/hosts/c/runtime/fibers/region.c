#include "runtime.h"

#include <sys/mman.h>

static bool opened[MOST_THREADS];

static void map(uintptr_t from, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap((void *)from, size, PROT_READ | PROT_WRITE, flags, -1, 0) != (void *)from)
        broken("the address range for the threads of the program is not free");
}

void region_open(int thread)
{
    if (opened[thread])
        return;
    opened[thread] = true;
    uintptr_t base = region_of(thread);
    map(base, REGION_SIZE);
    map(LIVE_BASE + (uintptr_t)thread * (REGION_SIZE / LIVE_UNIT), REGION_SIZE / LIVE_UNIT);
    mprotect((void *)(base + HEAP_END), STACK_FROM - HEAP_END, PROT_NONE);
}
