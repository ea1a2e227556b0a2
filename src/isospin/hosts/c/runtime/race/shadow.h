/* What race detection remembers of memory: for each 8 bytes their accesses, for each lock what was known when it was
 * given back. Only race.c, shadow.c and guard.c look in here.
 */
#ifndef ISOSPIN_SHADOW_H
#define ISOSPIN_SHADOW_H

#include "explore/contract.h"

enum {
    PAGE_BITS = 12,
    GRANULES = 1 << (PAGE_BITS - 3),
    GUARDED = 4, /* bytes that have one guard: neighbours in an array of int may belong to different threads */
    GUARDS = (1 << PAGE_BITS) / GUARDED,
    NONE = 0,
    MOST_HELD = 16,
    MOST_SITES = 64,
};

struct access {
    const void *pc;
    uint32_t clock; /* of its thread, at that time */
    uint32_t next;  /* of the same granule; NONE: the last */
    uint32_t stand; /* where its thread had stood last (leaving.c) */
    uint8_t thread, mask, how;
};

struct granule {
    uint32_t stamp, first; /* the list is valid if the stamp is that of the page */
};

/* Over all executions: the threads that accessed it so far, those of them that wrote, and the locks (at most two) that
 * were held at every access; but for accesses of a thread that was alone. */
struct guard {
    uintptr_t lock[2];
    thread_set users, writers;
    bool accessed; /* the locks are those of some access */
    bool users_count, writers_count, locks_count; /* race_alike relied on there being no others, on these locks */
};

/* The same for leaving.c; places in the code are bits. */
struct leaving {
    thread_set handed; /* threads after whose access another thread's came */
    thread_set left_by; /* threads of which race_alike relied on there being none */
    uint64_t again; /* places where threads stood between two accesses of their own */
    uint64_t left; /* places where threads stood whose next accesses are those of others, or are believed not to come */
    uint64_t reread; /* of a thread's own stack: places where it stood before it read what had been there already */
    uint64_t unread; /* places of which race_unread relied on being none of these */
    uint64_t through; /* places where it stood when others began to go on for it */
    uint64_t passed; /* and those where it had stood before, since its last access */
};

struct object {
    uintptr_t address;
    uint32_t execution;
    uint32_t clock[MOST_THREADS]; /* what those who released it knew */
    struct object *next; /* on the same page */
};

struct page {
    uintptr_t number;
    uint32_t execution, stamp;
    uint64_t noted[GRANULES / 64]; /* bits of the granules that may have this stamp: most have never been accessed */
    struct object *objects;
    struct granule granules[GRANULES];
    struct guard guards[GUARDS];
    struct leaving leavings[GUARDS];
};

/* In the arena: in fork mode the next child must know what is old. */
struct races {
    uint32_t execution, stamps;
    int threads; /* numbers below this have a clock */
    uint32_t clock[MOST_THREADS][MOST_THREADS];
    struct page **pages; /* a hash table; the size is a power of two */
    unsigned page_slots, page_count;
    struct page *last;
    struct object **objects; /* the same */
    unsigned object_slots, object_count;
    struct access *pool; /* pool[NONE] is nobody */
    unsigned pool_size, pool_used;
    uint32_t unused; /* a list of accesses that were dropped */
    struct page **touched; /* in this execution */
    unsigned touched_room, touched_count;
    struct object **used; /* in this execution */
    unsigned used_room, used_count;
    uint32_t read[MOST_THREADS][MOST_THREADS]; /* relaxed: counts after the next acquire fence */
    uint32_t released[MOST_THREADS][MOST_THREADS]; /* at the last release fence */
    bool relaxed; /* these two were used in this execution */
    bool fences; /* the program has some */
    bool weak; /* and atomic accesses weaker than seq_cst */
    bool visible_counts; /* race_alike relied on there being none */
    uintptr_t held[MOST_THREADS][MOST_HELD];
    int held_count[MOST_THREADS];
    bool learnt;
    uint64_t changes; /* of guards, of what is relied on, and of the renamings below */
    struct {
        uint8_t *sites; /* where a thread stood in this execution, one after the other */
        unsigned room, count;
    } stands[MOST_THREADS];
    const void *site[MOST_SITES]; /* where threads stand at all */
    int sites;
    bool batches; /* threads are born after others were waited for: leaving.c knows nothing then */
    bool leaving_counts; /* race_alike relied on what it knows */
    struct renaming **renamings; /* all that race_alike found good, in any execution */
    unsigned renaming_room, renaming_count;
};
extern struct races *races;

struct page *shadow_known_page(uintptr_t number); /* NULL: never touched */
struct page *shadow_page(uintptr_t number);
struct page *shadow_named_page(uintptr_t seat); /* of guards; that is no access */
struct object *shadow_object(uintptr_t address);
/* Of the bytes around an address; that is no access. */
struct guard *shadow_guard(uintptr_t address);
struct leaving *shadow_leaving(uintptr_t address);

static inline bool count_on(bool *what)
{
    races->changes += !*what;
    return *what = true;
}

/* The next granule from this one on that has accesses; GRANULES: there is none. */
static inline unsigned shadow_next(const struct page *page, unsigned from)
{
    for (; from < GRANULES; from++) {
        uint64_t rest = page->noted[from / 64] >> from % 64;
        from = rest ? from + (unsigned)__builtin_ctzl(rest) : from | 63;
        if (rest && page->granules[from].stamp == page->stamp)
            return from;
    }
    return GRANULES;
}

static inline unsigned shadow_place(uintptr_t address) { return (address >> 3) & (GRANULES - 1); }

/* Which guard of its page. */
static inline unsigned shadow_guarded(uintptr_t address) { return address / GUARDED & (GUARDS - 1); }

/* A thread accesses some bytes of a granule: who does so, and which lock guards them? */
void guard_access(struct page *page, uintptr_t base, const struct access *access);
/* More is known of the bytes at an address, and so of their images. */
void guard_widen(uintptr_t address, const struct leaving *more);

/* ---- bytes that nobody comes back to (leaving.c) */

/* A thread accesses bytes of a granule: what does that say of their earlier accesses? */
void leaving_access(const struct leaving *known, const struct granule *granule, uintptr_t seat, uint8_t mask,
                    const struct access *access);
/* More is known; true if that changes anything. */
bool leaving_widen(struct leaving *known, const struct leaving *more);
/* Does nobody access these bytes any more, from the current state on, unless alone? */
bool leaving_is_left(uintptr_t byte, int thread);
/* A renaming is used in the current state; this is an access that was made before. */
void leaving_renamed(uintptr_t byte, int thread, bool byte_moves, bool thread_moves);
/* Nothing of this can be known in this program. */
void leaving_give_up(void);
/* Where a thread stood since then, and where it stands; 0: nowhere. */
uint64_t leaving_sites(int thread, uint32_t stand);
uint64_t leaving_site(int thread);

/* ---- old values (unread.c) */

/* The same for what is said of old values there: a thread accesses these bytes, more is known, a renaming is used. */
void unread_access(const struct leaving *known, const struct granule *granule, uintptr_t seat, uint8_t mask,
                   const struct access *access);
bool unread_widen(struct leaving *known, const struct leaving *more);
void unread_renamed(uintptr_t byte, const struct access *access);

#endif
