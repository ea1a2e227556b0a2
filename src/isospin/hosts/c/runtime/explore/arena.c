#include "explore/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CLASSES = 48, LEAST_CLASS = 4 /* 16 bytes */ };

/* At the start of the range itself: children in fork mode go on where others stopped. */
struct header {
    size_t used, size;
    void *free[CLASSES]; /* pieces of 2^i bytes that were given back; the first word of a piece is the next one */
};

/* Under the address sanitizer nobody may touch what lies between pieces, or was given back.  What children share cannot
 * be watched: what is open is known to each process for itself. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
static bool watched;
#define OPEN(from, size) (watched ? __asan_unpoison_memory_region(from, size) : (void)0)
#define CLOSE(from, size) (watched ? __asan_poison_memory_region(from, size) : (void)0)
#else
enum { GAP = 0 };
#define OPEN(from, size) ((void)0)
#define CLOSE(from, size) ((void)0)
#endif

static struct header *arena;
void (*arena_full)(void);

static _Noreturn void out_of_memory(void)
{
    if (arena_full)
        arena_full();
    _exit(3);
}

void arena_open(bool shared)
{
    int flags = MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE);
    for (size_t size = (size_t)1 << 36; size >= (size_t)1 << 26; size /= 2) {
        void *range = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (range == MAP_FAILED)
            continue;
        arena = range;
        arena->used = (sizeof *arena + 15) & ~(size_t)15;
        arena->size = size;
#ifdef __SANITIZE_ADDRESS__
        watched = !shared;
#endif
        return;
    }
    out_of_memory();
}

static int class_of(size_t size)
{
    return size <= (size_t)1 << LEAST_CLASS ? LEAST_CLASS : 64 - __builtin_clzl(size - 1);
}

void *arena_take(size_t size)
{
    int class = class_of(size + GAP);
    if (class >= CLASSES)
        out_of_memory();
    void *piece = arena->free[class];
    if (piece) {
        arena->free[class] = *(void **)piece;
        OPEN(piece, size);
        return memset(piece, 0, size);
    }
    size_t rounded = (size_t)1 << class;
    if (rounded > arena->size - arena->used)
        out_of_memory();
    piece = (char *)arena + arena->used;
    arena->used += rounded;
    CLOSE((char *)piece + size, rounded - size);
    return piece;
}

void arena_give(void *piece, size_t size)
{
    if (!piece)
        return;
    int class = class_of(size + GAP);
    OPEN(piece, sizeof(void *));
    *(void **)piece = arena->free[class];
    arena->free[class] = piece;
    CLOSE((void **)piece + 1, size > sizeof(void *) ? size - sizeof(void *) : 0);
}

void *arena_grow(void *piece, size_t old_size, size_t new_size)
{
    void *larger = arena_take(new_size);
    if (piece)
        memcpy(larger, piece, old_size);
    arena_give(piece, old_size);
    return larger;
}

void *arena_grown(void *list, unsigned *capacity, size_t wanted, size_t entry)
{
    size_t more = *capacity ? *capacity : 8;
    while (more < wanted)
        more *= 2;
    list = arena_grow(list, *capacity * entry, more * entry);
    *capacity = (unsigned)more;
    return list;
}
