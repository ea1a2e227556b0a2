/* What never races, in no execution: bytes that only one thread accesses, or only under the same lock.
 *
 * Races are a property of the history: two threads in the same state may still differ in what they know of earlier accesses.  So
 * the exchange of two threads must fix that, too.  Most bytes need not be compared, since they have an owner or a lock; that is
 * assumed from what was seen, and if it turns out to be wrong later, the search starts again.
 *
 * Reference: Savage, Burrows, Nelson, Sobalvarro, Anderson, TOCS 1997 (Eraser: the locks that were always held).
 * Differs: locks prove nothing to the user here; they only say what need not be compared, and every execution checks them.
 */
#include "race.h"

#include "explore.h"
#include "shadow.h"

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

void guard_access(struct guard *guard, int thread)
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
    struct guard *image = &shadow_page(there >> PAGE_BITS)->guards[shadow_place(there)];
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
    struct page *page = shadow_known_page(there >> PAGE_BITS);
    if (!page || page->execution != races->execution || page->granules[shadow_place(there)].stamp != page->stamp)
        return NULL;
    for (uint32_t i = page->granules[shadow_place(there)].first; i != NONE; i = races->pool[i].next) {
        const struct access *other = &races->pool[i];
        if (other->thread == thread && other->mask == access->mask && other->how == access->how)
            return other;
    }
    return NULL;
}

static const struct object *image_of_object(const struct object *object, const struct swap *swap)
{
    uintptr_t there = region_image(object->address, swap->to);
    return there == object->address ? object : shadow_object(there);
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
        shadow_object(region_image(races->used[i]->address, swap->to)); /* so that it is among the used ones */
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
