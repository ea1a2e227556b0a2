/* mmap and its relatives.
 *
 * What a thread maps lies in its own heap, as a block of whole pages: the kernel is told the address.  So it depends on
 * nothing but the thread's own history, accesses are checked as those of any block, symmetry compares the content, and
 * before each execution the pages become memory of the heap again.
 *
 * Differs where the program wants an address, more than a part of its heap, or pages that cannot be read: there the
 * kernel chooses, and each execution has a process of its own.
 */
#include "libc/announce.h"

#include "libc/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_MAPPED = 1 << 26 /* bytes at once */, MOST_MAPPINGS = 1 << 16 };

static struct mapping {
    uintptr_t from;
    size_t size;
    uintptr_t file; /* the object that it shows; 0: none */
    bool shared, writable; /* with the file; by the program */
    bool gone; /* all of it was unmapped */
} mappings[MOST_MAPPINGS];
static int mapping_count; /* in this execution */

static size_t pages(size_t size) { return (size + PAGE - 1) & ~(size_t)(PAGE - 1); }

static void give_back(const struct mapping *this)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap((void *)this->from, this->size, PROT_READ | PROT_WRITE, flags, -1, 0);
}

void mappings_reset(void)
{
    for (int i = 0; i < mapping_count; i++)
        give_back(&mappings[i]);
    mapping_count = 0;
}

static struct mapping *mapping_at(uintptr_t address)
{
    for (int i = 0; i < mapping_count; i++)
        if (address - mappings[i].from < mappings[i].size)
            return &mappings[i];
    return NULL;
}

bool mappings_reach(uintptr_t address)
{
    const struct mapping *this = mapping_at(address);
    if (!this || this->gone || *live_at(address) == FREED)
        return false;
    use_pages((void *)this->from, this->size);
    return true;
}

/* ---------------------------------------------------------------- files that are mapped and used otherwise */

/* SOUND: accesses by two addresses are not compared, nor those by an address with those by a descriptor. */
void mappings_check(uintptr_t file, bool writes)
{
    for (int i = 0; file && i < mapping_count; i++)
        if (mappings[i].file == file && (writes || (mappings[i].shared && mappings[i].writable)))
            learn_incomplete("the program uses a file in two ways while it is mapped (mmap): their order is not seen");
}

/* ---------------------------------------------------------------- mapping */

/* As many bytes from the offset on as the file has, in whole pages: behind them a page is there and cannot be read. */
static size_t readable(size_t size, int flags, int file, long offset)
{
    struct stat there;
    if (flags & MAP_ANONYMOUS)
        return pages(size);
    if (syscall(SYS_newfstatat, file, "", &there, AT_EMPTY_PATH) != 0 || !S_ISREG(there.st_mode))
        return 0;
    return least(pages(size), there.st_size > offset ? pages((size_t)(there.st_size - offset)) : 0);
}

static bool is_ours(size_t size, int protection, int flags, int file, long offset)
{
    static const int known = MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE | MAP_STACK |
                             MAP_NONBLOCK | MAP_LOCKED | MAP_DENYWRITE | MAP_EXECUTABLE;
    return size && size <= MOST_MAPPED && !(flags & ~known) && protection & PROT_READ && !(protection & PROT_EXEC) &&
           mapping_count < MOST_MAPPINGS && readable(size, flags, file, offset) == pages(size);
}

static void *map_outside(void *address, size_t size, int protection, int flags, int file, long offset, void **entry)
{
    learn_fork("the program maps memory by itself (mmap)");
    hidden(hidden_number(ADDRESS_SPACE), true, entry);
    return mmap(address, size, protection, flags, file, offset);
}

/* Nobody frees it, and it is no leak. */
static void *map_in_heap(size_t size, int protection, int flags, int file, long offset, const void *pc)
{
    void *block = allocate_pages(size, pages(size), pc);
    if (!block || mmap(block, size, protection, flags | MAP_FIXED, file, offset) == MAP_FAILED)
        return MAP_FAILED;
    bool anonymous = flags & MAP_ANONYMOUS;
    mappings[mapping_count++] = (struct mapping){
        .from = (uintptr_t)block,
        .size = pages(size),
        .file = anonymous ? 0 : file_object(file),
        .shared = !anonymous && flags & MAP_SHARED,
        .writable = protection & PROT_WRITE,
    };
    return block;
}

EXPORT void *isospin_mmap(void *address, size_t size, int protection, int flags, int file, long offset)
{
    void **entry = HERE;
    if (!running)
        return mmap(address, size, protection, flags, file, offset);
    settle(entry);
    if (!(flags & MAP_ANONYMOUS)) {
        if (not_there(file))
            return MAP_FAILED;
        use_file(file, flags & MAP_SHARED && protection & PROT_WRITE, entry);
        if (syscall(SYS_fcntl, file, F_GETFD) < 0)
            return MAP_FAILED;
    }
    if (size && !is_ours(size, protection, flags, file, offset))
        return map_outside(address, size, protection, flags, file, offset, entry);
    return map_in_heap(size, protection, flags, file, offset, entry[1]);
}

EXPORT void *isospin_mmap64(void *address, size_t size, int protection, int flags, int file, long offset)
    __attribute__((alias("isospin_mmap")));

/* ---------------------------------------------------------------- and what can be done to it */

/* SOUND: an access by another thread that nothing orders with this may find nothing there. */
static void unmap(struct mapping *this, uintptr_t from, size_t size, void **entry)
{
    if (from == this->from && size == this->size) {
        release_block((void *)from, entry);
        memset(live_at(from), FREED, size / LIVE_UNIT); /* what was never used, too */
        this->file = 0;
        this->gone = true;
    } else {
        WRITES(from, size);
    }
    mprotect((void *)from, size, PROT_NONE);
}

EXPORT int isospin_munmap(void *address, size_t size)
{
    void **entry = HERE;
    settle(entry);
    struct mapping *this = running ? mapping_at((uintptr_t)address) : NULL;
    if (this && (uintptr_t)address % PAGE == 0 && size && pages(size) <= this->from + this->size - (uintptr_t)address) {
        unmap(this, (uintptr_t)address, pages(size), entry);
        return 0;
    }
    hidden(hidden_number(ADDRESS_SPACE), true, entry);
    return munmap(address, size);
}

EXPORT int isospin_mprotect(void *address, size_t size, int protection)
{
    void **entry = HERE;
    settle(entry);
    struct mapping *this = running ? mapping_at((uintptr_t)address) : NULL;
    if (running && (!this || !(protection & PROT_READ) || protection & PROT_EXEC))
        learn_fork("the program says who may access its memory (mprotect)");
    if (this)
        this->writable |= (protection & PROT_WRITE) != 0;
    WRITES(address, size);
    return mprotect(address, size, protection);
}

/* What is not wanted any more is as it was at first. */
EXPORT int isospin_madvise(void *address, size_t size, int advice)
{
    void **entry = HERE;
    settle(entry);
    if (advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE)
        WRITES(address, size);
    return madvise(address, size, advice);
}

EXPORT int isospin_msync(void *address, size_t size, int flags)
{
    void **entry = HERE;
    READS(address, size);
    return msync(address, size, flags);
}
