/* Reference: Flanagan, Freund, PLDI 2009 (FastTrack: epochs instead of vectors where accesses are ordered).
 * Differs: the shadow of 8 bytes is a list of accesses with masks of bytes, as long as it must be, so that nothing is
 * forgotten; an access is dropped only if every later race with it is also one with the access that takes its place.
 */
#include "race/race.h"

#include "explore/arena.h"
#include "race/shadow.h"

#include <string.h>

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
    for (int t = 0; t < races->threads; t++)
        races->stands[t].count = 0;
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
    if (races->threads > 1 && race_alone(parent))
        leaving_give_up();
    if (child >= races->threads)
        races->threads = child + 1;
    learn(races->clock[child], races->clock[parent]);
    races->clock[child][child]++;
    races->clock[parent][parent]++;
}

void race_joined(int thread, int ended) { learn(races->clock[thread], races->clock[ended]); }

void race_acquire(int thread, uintptr_t object) { learn(races->clock[thread], shadow_object(object)->clock); }

void race_release(int thread, uintptr_t object)
{
    learn(shadow_object(object)->clock, races->clock[thread]);
    races->clock[thread][thread]++;
}

void race_release_only(int thread, uintptr_t object)
{
    memset(shadow_object(object)->clock, 0, sizeof races->clock[0]);
    race_release(thread, object);
}

void race_relaxed_load(int thread, uintptr_t object)
{
    learn(races->read[thread], shadow_object(object)->clock);
    races->relaxed = true;
}

void race_relaxed_store(int thread, uintptr_t object)
{
    memcpy(shadow_object(object)->clock, races->released[thread], sizeof races->released[thread]);
}

void race_relaxed_change(int thread, uintptr_t object) { learn(shadow_object(object)->clock, races->released[thread]); }

void race_relaxed_update(int thread, uintptr_t object)
{
    race_relaxed_load(thread, object);
    race_relaxed_change(thread, object);
}

void race_hear(int thread, const uint32_t *message, bool acquires)
{
    learn(acquires ? races->clock[thread] : races->read[thread], message);
    races->relaxed |= !acquires;
}

void race_say(int thread, uint32_t *message, bool releases)
{
    learn(message, releases ? races->clock[thread] : races->released[thread]);
    races->clock[thread][thread] += releases;
}

const uint32_t *race_clock(int thread) { return races->clock[thread]; }

bool race_fences(void) { return races->fences; }

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

enum conflict {
    NO_CONFLICT,
    WEAK_CONFLICT /* no data race, but orders that are not interleavings may show */,
    DATA_RACE
};

static enum conflict conflict(int one, int other)
{
    if (!((one | other) & RACE_WRITE))
        return NO_CONFLICT;
    if (!(one & other & RACE_ATOMIC))
        return DATA_RACE;
    return (one | other) & RACE_WEAK ? WEAK_CONFLICT : NO_CONFLICT;
}

/* The higher, the more it is in conflict with: seq_cst, weaker atomic accesses, plain ones. */
static int rank(int how) { return !(how & RACE_ATOMIC) ? 2 : how & RACE_WEAK ? 1 : 0; }

/* SOUND: whatever races later with the old access also races with the new one: the old one happened before it, and
 * the new one is in conflict with all that the old one is in conflict with. */
static bool replaces(int how, const struct access *old)
{
    return (how & RACE_WRITE) >= (old->how & RACE_WRITE) && rank(how) >= rank(old->how);
}

static void tell(struct race *found, const struct access *old, uintptr_t base, int how, uint8_t mask, const void *pc)
{
    uint8_t both = old->mask & mask;
    int from = __builtin_ctz(both);
    *found = (struct race){
        .from = base + (uintptr_t)from,
        .size = (uint32_t)(32 - __builtin_clz((unsigned)both >> from)),
        .how = how,
        .other_how = old->how,
        .other = old->thread,
        .pc = pc,
        .other_pc = old->pc,
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
        enum conflict kind = before ? NO_CONFLICT : conflict(old->how, new.how);
        if (kind == WEAK_CONFLICT) {
            struct race weak;
            tell(&weak, old, base, new.how, new.mask, new.pc);
            learn_weak(&weak);
        } else if (kind == DATA_RACE && !raced) {
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

static struct granule *granule_at(struct page *page, uintptr_t address)
{
    struct granule *granule = &page->granules[shadow_place(address)];
    if (granule->stamp != page->stamp) {
        granule->stamp = page->stamp;
        granule->first = NONE;
        page->noted[shadow_place(address) / 64] |= (uint64_t)1 << shadow_place(address) % 64;
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
    if (how & RACE_WEAK && !races->weak) {
        races->weak = true;
        races->learnt |= races->visible_counts;
    }
    struct access new = {.pc = pc,
                         .clock = races->clock[thread][thread],
                         .stand = races->stands[thread].count,
                         .thread = (uint8_t)thread,
                         .how = (uint8_t)how};
    for (uintptr_t base = from & ~(uintptr_t)7; base < from + size; base += 8) {
        struct page *page = shadow_page(base >> PAGE_BITS);
        struct granule *granule = granule_at(page, base);
        struct access *old = &races->pool[granule->first];
        new.mask = mask_of(base, from, from + size);
        if (granule->first != NONE && old->thread == thread && old->clock == new.clock && old->how == how &&
            old->mask == new.mask && old->stand == new.stand)
            continue; /* as before, and nobody else was here since; it holds no fewer locks */
        guard_access(page, base, &new);
        raced |= touch(granule, new, base, raced ? NULL : found);
    }
    return raced;
}

void race_note(int thread, uintptr_t from, size_t size, int how, const void *pc)
{
    for (uintptr_t base = from & ~(uintptr_t)7; base < from + size; base += 8) {
        struct granule *granule = granule_at(shadow_page(base >> PAGE_BITS), base);
        uint32_t new = add(granule->first);
        races->pool[new] = (struct access){.pc = pc,
                                           .clock = races->clock[thread][thread],
                                           .next = granule->first,
                                           .stand = races->stands[thread].count,
                                           .thread = (uint8_t)thread,
                                           .mask = mask_of(base, from, from + size),
                                           .how = (uint8_t)how};
        granule->first = new;
    }
}

/* SOUND: pages that nobody has touched in this execution race with nothing, and whoever touches them later fails.
 * Blocks may be large, and most of what libraries ask for is never touched. */
bool race_free(int thread, uintptr_t from, size_t size, const void *pc, struct race *found)
{
    bool raced = false;
    for (uintptr_t at = from, next; at < from + size; at = next) {
        const struct page *page = shadow_known_page(at >> PAGE_BITS);
        next = ((at >> PAGE_BITS) + 1) << PAGE_BITS;
        next = next < from + size ? next : from + size;
        if (page && page->execution == races->execution)
            raced |= race_access(thread, at, next - at, RACE_WRITE, pc, raced ? NULL : found);
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
        struct page *page = shadow_known_page(number);
        if (page)
            forget_on_page(page, from, from + size);
    }
}
