/* Reference: Flanagan, Freund, PLDI 2009 (FastTrack: epochs instead of vectors where accesses are ordered).
 * Differs: the shadow of 8 bytes is a list of accesses with masks of bytes, as long as it must be, so that nothing is
 * forgotten; an access is dropped only if every later race with it is also one with the access that takes its place.
 */
#include "race.h"

#include "arena.h"
#include "contract.h"

#include <string.h>

enum { PAGE_BITS = 12, GRANULES = 1 << (PAGE_BITS - 3), NONE = 0 };

struct access {
    const void *pc;
    uint32_t clock; /* of its thread, at that time */
    uint32_t next;  /* of the same granule; NONE: the last */
    uint8_t thread, mask, how;
};

struct granule {
    uint32_t stamp, first; /* the list is valid if the stamp is that of the page */
};

struct object {
    uintptr_t address;
    uint32_t execution;
    uint32_t clock[MOST_THREADS]; /* what those who released it knew */
    struct object *next;          /* on the same page */
};

struct page {
    uintptr_t number;
    uint32_t execution, stamp;
    struct object *objects;
    struct granule granules[GRANULES];
};

/* In the arena: in fork mode the next child must know what is old. */
static struct races {
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
} *races;

/* ---------------------------------------------------------------- where things are */

static unsigned hashed(uintptr_t key)
{
    return (unsigned)((key * 0x9E3779B97F4A7C15ULL) >> 32);
}

static void more_pages(void)
{
    struct page **old = races->pages;
    unsigned slots = races->page_slots;
    races->page_slots = slots ? slots * 2 : 256;
    races->pages = arena_take(races->page_slots * sizeof *old);
    for (unsigned i = 0; i < slots; i++)
        if (old[i]) {
            unsigned at = hashed(old[i]->number);
            while (races->pages[at & (races->page_slots - 1)])
                at++;
            races->pages[at & (races->page_slots - 1)] = old[i];
        }
    arena_give(old, slots * sizeof *old);
}

static struct page *known_page(uintptr_t number)
{
    if (races->last && races->last->number == number)
        return races->last;
    if (!races->page_slots)
        return NULL;
    for (unsigned at = hashed(number);; at++) {
        struct page *page = races->pages[at & (races->page_slots - 1)];
        if (!page || page->number == number)
            return page;
    }
}

static struct page *page_of(uintptr_t number)
{
    struct page *page = known_page(number);
    if (!page) {
        if (races->page_count * 2 >= races->page_slots)
            more_pages();
        page = arena_take(sizeof *page);
        page->number = number;
        unsigned at = hashed(number);
        while (races->pages[at & (races->page_slots - 1)])
            at++;
        races->pages[at & (races->page_slots - 1)] = page;
        races->page_count++;
    }
    if (page->execution != races->execution) {
        page->execution = races->execution;
        page->stamp = ++races->stamps;
    }
    races->last = page;
    return page;
}

static void more_objects(void)
{
    struct object **old = races->objects;
    unsigned slots = races->object_slots;
    races->object_slots = slots ? slots * 2 : 256;
    races->objects = arena_take(races->object_slots * sizeof *old);
    for (unsigned i = 0; i < slots; i++)
        if (old[i]) {
            unsigned at = hashed(old[i]->address);
            while (races->objects[at & (races->object_slots - 1)])
                at++;
            races->objects[at & (races->object_slots - 1)] = old[i];
        }
    arena_give(old, slots * sizeof *old);
}

static struct object *object_at(uintptr_t address)
{
    if (races->object_count * 2 >= races->object_slots)
        more_objects();
    unsigned at = hashed(address);
    struct object **slot;
    while (*(slot = &races->objects[at & (races->object_slots - 1)]) && (*slot)->address != address)
        at++;
    struct object *object = *slot;
    if (!object) {
        struct page *page = page_of(address >> PAGE_BITS);
        object = *slot = arena_take(sizeof *object);
        object->address = address;
        object->next = page->objects;
        page->objects = object;
        races->object_count++;
    }
    if (object->execution != races->execution) {
        object->execution = races->execution;
        memset(object->clock, 0, sizeof object->clock);
    }
    return object;
}

/* ---------------------------------------------------------------- clocks */

void race_reset(void)
{
    if (!races)
        races = arena_take(sizeof *races);
    if (races->stamps > UINT32_MAX / 2) { /* old stamps must not become valid again */
        for (unsigned i = 0; i < races->page_slots; i++)
            if (races->pages[i])
                memset(races->pages[i]->granules, 0, sizeof races->pages[i]->granules);
        races->stamps = 0;
    }
    races->execution++;
    memset(races->clock, 0, sizeof races->clock[0] * (size_t)races->threads);
    races->threads = 1;
    races->clock[0][0] = 1;
    races->pool_used = 1;
    races->unused = NONE;
}

static void learn(uint32_t *clock, const uint32_t *more)
{
    for (int t = 0; t < races->threads; t++)
        if (more[t] > clock[t])
            clock[t] = more[t];
}

void race_born(int parent, int child)
{
    if (child >= races->threads)
        races->threads = child + 1;
    learn(races->clock[child], races->clock[parent]);
    races->clock[child][child]++;
    races->clock[parent][parent]++;
}

void race_joined(int thread, int ended)
{
    learn(races->clock[thread], races->clock[ended]);
}

void race_acquire(int thread, uintptr_t object)
{
    learn(races->clock[thread], object_at(object)->clock);
}

void race_release(int thread, uintptr_t object)
{
    learn(object_at(object)->clock, races->clock[thread]);
    races->clock[thread][thread]++;
}

void race_release_only(int thread, uintptr_t object)
{
    memset(object_at(object)->clock, 0, sizeof races->clock[0]);
    race_release(thread, object);
}

/* ---------------------------------------------------------------- accesses */

static void drop(uint32_t *link)
{
    uint32_t gone = *link;
    *link = races->pool[gone].next;
    races->pool[gone].next = races->unused;
    races->unused = gone;
}

static uint32_t add(uint32_t next)
{
    uint32_t new = races->unused;
    if (new != NONE) {
        races->unused = races->pool[new].next;
    } else {
        GROW(races->pool, races->pool_size, races->pool_used + 1);
        new = races->pool_used++;
    }
    races->pool[new].next = next;
    return new;
}

static bool conflict(const struct access *a, int how)
{
    return ((a->how | how) & RACE_WRITE) && !(a->how & how & RACE_ATOMIC);
}

/* SOUND: whatever races later with the old access also races with the new one: the old one happened before it, and
 * the new one is in conflict with all that the old one is in conflict with. */
static bool replaces(int how, const struct access *old)
{
    return (how & RACE_WRITE) >= (old->how & RACE_WRITE) && (how & RACE_ATOMIC) <= (old->how & RACE_ATOMIC);
}

static void tell(struct race *found, const struct access *old, uintptr_t base, int how, uint8_t mask, const void *pc)
{
    uint8_t both = old->mask & mask;
    int from = __builtin_ctz(both);
    *found = (struct race){
        .from = base + (uintptr_t)from, .size = (uint32_t)(32 - __builtin_clz((unsigned)both >> from)), .how = how,
        .other_how = old->how, .other = old->thread, .pc = pc, .other_pc = old->pc,
    };
}

/* One granule; true if a race was found.  `found` NULL: one was found already. */
static bool touch(struct granule *granule, struct access new, uintptr_t base, struct race *found)
{
    bool raced = false;
    const uint32_t *known = races->clock[new.thread];
    for (uint32_t *link = &granule->first; *link != NONE;) {
        struct access *old = &races->pool[*link];
        if (!(old->mask & new.mask)) {
            link = &old->next;
            continue;
        }
        bool before = old->clock <= known[old->thread];
        if (!before && !raced && conflict(old, new.how)) {
            raced = true;
            if (found)
                tell(found, old, base, new.how, new.mask, new.pc);
        }
        if (before && replaces(new.how, old) && !(old->mask &= (uint8_t)~new.mask))
            drop(link);
        else
            link = &old->next;
    }
    new.next = granule->first;
    uint32_t place = add(new.next);
    races->pool[place] = new;
    granule->first = place;
    return raced;
}

static struct granule *granule_at(uintptr_t address)
{
    struct page *page = page_of(address >> PAGE_BITS);
    struct granule *granule = &page->granules[(address >> 3) & (GRANULES - 1)];
    if (granule->stamp != page->stamp) {
        granule->stamp = page->stamp;
        granule->first = NONE;
    }
    return granule;
}

/* The bytes of the granule at `base` that lie in [from, to). */
static uint8_t mask_of(uintptr_t base, uintptr_t from, uintptr_t to)
{
    unsigned first = from > base ? (unsigned)(from - base) : 0;
    unsigned end = to - base < 8 ? (unsigned)(to - base) : 8;
    return (uint8_t)(((1U << end) - 1) & ~((1U << first) - 1));
}

bool race_access(int thread, uintptr_t from, size_t size, int how, const void *pc, struct race *found)
{
    bool raced = false;
    struct access new = {.pc = pc, .clock = races->clock[thread][thread], .thread = (uint8_t)thread, .how = (uint8_t)how};
    for (uintptr_t base = from & ~(uintptr_t)7; base < from + size; base += 8) {
        struct granule *granule = granule_at(base);
        struct access *old = &races->pool[granule->first];
        new.mask = mask_of(base, from, from + size);
        if (granule->first != NONE && old->thread == thread && old->clock == new.clock && old->how == how
            && old->mask == new.mask)
            continue; /* as before, and nobody else was here since */
        raced |= touch(granule, new, base, raced ? NULL : found);
    }
    return raced;
}

/* ---------------------------------------------------------------- new lives */

static void forget_bytes(uintptr_t base, uint8_t mask)
{
    struct granule *granule = granule_at(base);
    for (uint32_t *link = &granule->first; *link != NONE;) {
        struct access *old = &races->pool[*link];
        if (old->mask &= (uint8_t)~mask)
            link = &old->next;
        else
            drop(link);
    }
}

static void forget_on_page(struct page *page, uintptr_t from, uintptr_t to)
{
    uintptr_t start = page->number << PAGE_BITS, end = start + ((uintptr_t)1 << PAGE_BITS);
    for (struct object *object = page->objects; object; object = object->next)
        if (object->address >= from && object->address < to)
            object->execution = 0; /* zeroed when it is used next */
    if (page->execution != races->execution)
        return;
    if (from <= start && to >= end) {
        page->stamp = ++races->stamps;
        return;
    }
    uintptr_t first = from > start ? from : start, last = to < end ? to : end;
    for (uintptr_t base = first & ~(uintptr_t)7; base < last; base += 8)
        forget_bytes(base, mask_of(base, first, last));
}

void race_forget(uintptr_t from, size_t size)
{
    if (!size)
        return;
    for (uintptr_t number = from >> PAGE_BITS; number <= (from + size - 1) >> PAGE_BITS; number++) {
        struct page *page = known_page(number);
        if (page)
            forget_on_page(page, from, from + size);
    }
}
