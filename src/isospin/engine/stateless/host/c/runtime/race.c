/* Reference: Flanagan, Freund, PLDI 2009 (FastTrack: epochs instead of vectors where accesses are ordered).
 * Differs: the shadow of 8 bytes is a list of accesses with masks of bytes, as long as it must be, so that nothing is
 * forgotten; an access is dropped only if every later race with it is also one with the access that takes its place.
 */
#include "race.h"

#include "arena.h"
#include "contract.h"
#include "explore.h"

#include <string.h>

enum { PAGE_BITS = 12, GRANULES = 1 << (PAGE_BITS - 3), NONE = 0, MOST_HELD = 16, SHARED = 255 };

struct access {
    const void *pc;
    uint32_t clock; /* of its thread, at that time */
    uint32_t next;  /* of the same granule; NONE: the last */
    uint8_t thread, mask, how;
};

struct granule {
    uint32_t stamp, first; /* the list is valid if the stamp is that of the page */
};

/* Over all executions: the only thread that accessed it so far, or the locks (at most two) that were held at every access; but
 * for accesses of a thread that was alone. */
struct guard {
    uintptr_t lock[2];
    uint8_t owner; /* number + 1; 0: nobody so far; SHARED: more than one */
    bool relied;   /* race_alike counted on the owner or the locks */
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
    struct guard guards[GRANULES];
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
    struct page **touched; /* in this execution */
    unsigned touched_room, touched_count;
    struct object **used; /* in this execution */
    unsigned used_room, used_count;
    uint32_t read[MOST_THREADS][MOST_THREADS];     /* relaxed: counts after the next acquire fence */
    uint32_t released[MOST_THREADS][MOST_THREADS]; /* at the last release fence */
    bool relaxed; /* these two were used in this execution */
    bool fences;  /* the program has some */
    uintptr_t held[MOST_THREADS][MOST_HELD];
    int held_count[MOST_THREADS];
    bool learnt;
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
        GROW(races->touched, races->touched_room, races->touched_count + 1);
        races->touched[races->touched_count++] = page;
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
        GROW(races->used, races->used_room, races->used_count + 1);
        races->used[races->used_count++] = object;
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
    races->touched_count = races->used_count = 0;
    memset(races->held_count, 0, sizeof races->held_count);
    if (races->relaxed) {
        memset(races->read, 0, sizeof races->read);
        memset(races->released, 0, sizeof races->released);
        races->relaxed = false;
    }
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

void race_relaxed_load(int thread, uintptr_t object)
{
    learn(races->read[thread], object_at(object)->clock);
    races->relaxed = true;
}

void race_relaxed_store(int thread, uintptr_t object)
{
    memcpy(object_at(object)->clock, races->released[thread], sizeof races->released[thread]);
}

void race_relaxed_update(int thread, uintptr_t object)
{
    race_relaxed_load(thread, object);
    learn(object_at(object)->clock, races->released[thread]);
}

void race_fence(int thread, bool acquires, bool releases)
{
    races->learnt |= !races->fences; /* race_alike does not compare what fences make of relaxed operations */
    races->relaxed = races->fences = true;
    if (acquires)
        learn(races->clock[thread], races->read[thread]);
    if (releases) {
        learn(races->released[thread], races->clock[thread]);
        races->clock[thread][thread]++;
    }
}

/* ---------------------------------------------------------------- locks */

void race_locked(int thread, uintptr_t lock)
{
    if (races->held_count[thread] < MOST_HELD) /* one that is not known guards nothing */
        races->held[thread][races->held_count[thread]++] = lock;
}

void race_unlocked(int thread, uintptr_t lock)
{
    uintptr_t *held = races->held[thread];
    for (int i = 0; i < races->held_count[thread]; i++)
        if (held[i] == lock) {
            held[i] = held[--races->held_count[thread]];
            return;
        }
}

static bool holds(int thread, uintptr_t lock)
{
    for (int i = 0; i < races->held_count[thread]; i++)
        if (races->held[thread][i] == lock)
            return true;
    return false;
}

/* All others have ended, and the thread knows all that they did: before the first is born, and after joining them. */
static bool is_alone(int thread)
{
    for (int t = 0; t < races->threads; t++)
        if (t != thread && races->clock[t][t] && (program_pending(t) || races->clock[thread][t] < races->clock[t][t]))
            return false;
    return true;
}

static void guarded(struct guard *guard, int thread)
{
    const uintptr_t *held = races->held[thread];
    int count = races->held_count[thread];
    bool changes = guard->owner != thread + 1 && guard->owner != SHARED;
    for (int i = 0; i < 2; i++)
        changes |= guard->lock[i] && !holds(thread, guard->lock[i]);
    if (!changes || is_alone(thread))
        return;
    /* SOUND: whoever counted on the owner or a lock has to think again. */
    races->learnt |= guard->relied;
    if (guard->owner == 0) {
        guard->owner = (uint8_t)(thread + 1);
        guard->lock[0] = count > 0 ? held[0] : 0;
        guard->lock[1] = count > 1 ? held[1] : 0;
        return;
    }
    if (guard->owner != thread + 1)
        guard->owner = SHARED;
    for (int i = 0; i < 2; i++)
        if (guard->lock[i] && !holds(thread, guard->lock[i]))
            guard->lock[i] = 0;
}

bool race_learnt(void)
{
    bool learnt = races->learnt;
    races->learnt = false;
    return learnt;
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

static unsigned place_of(uintptr_t address)
{
    return (address >> 3) & (GRANULES - 1);
}

static struct granule *granule_at(struct page *page, uintptr_t address)
{
    struct granule *granule = &page->granules[place_of(address)];
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
        struct page *page = page_of(base >> PAGE_BITS);
        struct granule *granule = granule_at(page, base);
        struct access *old = &races->pool[granule->first];
        new.mask = mask_of(base, from, from + size);
        if (granule->first != NONE && old->thread == thread && old->clock == new.clock && old->how == how
            && old->mask == new.mask)
            continue; /* as before, and nobody else was here since; it holds no fewer locks */
        guarded(&page->guards[place_of(base)], thread);
        raced |= touch(granule, new, base, raced ? NULL : found);
    }
    return raced;
}

/* ---------------------------------------------------------------- new lives */

static void forget_bytes(struct page *page, uintptr_t base, uint8_t mask)
{
    struct granule *granule = granule_at(page, base);
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
        forget_bytes(page, base, mask_of(base, first, last));
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

/* ---------------------------------------------------------------- symmetry */

/* An exchange of two threads. */
struct swap {
    int a, b;
    uint8_t to[MOST_THREADS];
    const struct object *moved[64]; /* objects in the regions of the two */
    unsigned count;
};

static bool knows(const uint32_t *clock, const struct access *access)
{
    return access->clock <= clock[access->thread];
}

static bool all_know(const struct access *access)
{
    for (int t = 0; t < races->threads; t++)
        if (t != access->thread && !knows(races->clock[t], access) && program_pending(t))
            return false;
    return true;
}

/* Only one thread accesses it, and only the image of that thread its image.  SOUND: so it is in every execution that was
 * explored, and those that are left out are images of them; `guarded` sees if it is not. */
static bool has_owner(struct guard *guard, uintptr_t address, const struct swap *swap)
{
    uintptr_t there = region_image(address, swap->to);
    if (guard->owner == SHARED || guard->owner == 0)
        return false;
    uint8_t owner = (uint8_t)(swap->to[guard->owner - 1] + 1);
    struct guard *image = &page_of(there >> PAGE_BITS)->guards[place_of(there)];
    if (image->owner == 0) {
        image->owner = owner;
        image->lock[0] = image->lock[1] = 0;
    }
    return image->owner == owner && (image->relied = guard->relied = true);
}

/* SOUND: it and its lock stay where they are, and every access to it in every execution that was explored holds the lock; those
 * that are left out are images of them. */
static bool has_lock(struct guard *guard, uintptr_t address, const struct swap *swap)
{
    if (region_image(address, swap->to) != address)
        return false;
    for (int i = 0; i < 2; i++)
        if (guard->lock[i] && region_image(guard->lock[i], swap->to) == guard->lock[i])
            return guard->relied = true;
    return false;
}

static const struct access *image_of(const struct access *access, uintptr_t address, const struct swap *swap)
{
    uintptr_t there = region_image(address, swap->to);
    int thread = swap->to[access->thread];
    if (there == address && thread == access->thread)
        return access;
    struct page *page = known_page(there >> PAGE_BITS);
    if (!page || page->execution != races->execution || page->granules[place_of(there)].stamp != page->stamp)
        return NULL;
    for (uint32_t i = page->granules[place_of(there)].first; i != NONE; i = races->pool[i].next) {
        const struct access *other = &races->pool[i];
        if (other->thread == thread && other->mask == access->mask && other->how == access->how)
            return other;
    }
    return NULL;
}

static const struct object *image_of_object(const struct object *object, const struct swap *swap)
{
    uintptr_t there = region_image(object->address, swap->to);
    return there == object->address ? object : object_at(there);
}

/* Whoever knows the access, his image knows its image. */
static bool equally_known(const struct access *access, const struct access *image, const struct swap *swap)
{
    for (int t = 0; t < races->threads; t++)
        if (knows(races->clock[t], access) != knows(races->clock[swap->to[t]], image) && program_pending(t))
            return false;
    if (access == image) {
        for (unsigned i = 0; i < swap->count; i++)
            if (knows(swap->moved[i]->clock, access) != knows(image_of_object(swap->moved[i], swap)->clock, access))
                return false;
        return true;
    }
    for (unsigned i = 0; i < races->used_count; i++)
        if (knows(races->used[i]->clock, access) != knows(image_of_object(races->used[i], swap)->clock, image))
            return false;
    return true;
}

static bool page_fixed(struct page *page, const struct swap *swap)
{
    for (unsigned i = 0; i < GRANULES; i++) {
        if (page->granules[i].stamp != page->stamp)
            continue;
        uintptr_t address = (page->number << PAGE_BITS) + 8 * i;
        for (uint32_t at = page->granules[i].first; at != NONE; at = races->pool[at].next) {
            const struct access *access = &races->pool[at];
            if (all_know(access) || known_visible(address, 8) || has_owner(&page->guards[i], address, swap)
                || has_lock(&page->guards[i], address, swap))
                continue;
            const struct access *image = image_of(access, address, swap);
            if (!image || !equally_known(access, image, swap))
                return false;
        }
    }
    return true;
}

static bool find_moved(struct swap *swap)
{
    for (unsigned i = 0; i < races->used_count; i++) {
        if (region_image(races->used[i]->address, swap->to) == races->used[i]->address)
            continue;
        if (swap->count == 64)
            return false;
        object_at(region_image(races->used[i]->address, swap->to)); /* so that it is among the used ones */
        swap->moved[swap->count++] = races->used[i];
    }
    return true;
}

bool race_alike(int a, int b)
{
    struct swap swap = {.a = a, .b = b};
    for (int t = 0; t < MOST_THREADS; t++)
        swap.to[t] = (uint8_t)(t == a ? b : t == b ? a : t);
    if (races->fences || !find_moved(&swap))
        return false;
    for (unsigned i = 0; i < races->touched_count; i++)
        if (!page_fixed(races->touched[i], &swap))
            return false;
    return true;
}
