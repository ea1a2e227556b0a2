/* Old values: what a thread has in a variable of its stack whose address it gave away, and will not read any more.
 *
 * `while (take(&queue, &item))`: who has done a job has an old pointer in `item`, and who has not, nothing.  Nobody
 * reads it before `take` writes it, unless `take` says that there is none.  To follow that in the code one would have
 * to know what `take` returns when; here it is assumed that a thread that stands where it stands now does not read
 * these bytes before it writes them, and if that turns out to be wrong in any execution, the search starts again.
 *
 * Reference: leaving.c, which assumes other things of the same kind.
 * Differs: -.  SOUND: two states that differ in old values only have the same executions up to the first read of one.
 * Let E' be an execution with such a read that was left out, the image of E from a state s on under a renaming.  If the
 * thread stood at the place before s and reads after it, its image in E reads, too, from where both stand in s: then
 * that place is in `reread`, and with it all places that the thread had `passed` since its last access
 * (unread_renamed).  If both come after s, they are in E as they are, for another thread, and `reread` is the same for
 * all images (guard_widen).  So there is one among the executions that were explored.  Only accesses that are told
 * count; binary/liveness.py says of which variables they all are, and RACE_STORE which writes do not look at the old
 * value.
 */
#include "race/race.h"

#include "race/shadow.h"
#include "fibers/region.h"

/* Where the thread stood since its last accesses to the bytes; if there were none to some of them, anywhere. */
static uint64_t sites_since_access(const struct granule *granule, uint8_t mask, int thread)
{
    uint64_t sites = 0;
    uint8_t missing = mask;
    for (uint32_t at = granule->first; at != NONE; at = races->pool[at].next) {
        const struct access *old = &races->pool[at];
        if (old->thread != thread || !(old->mask & mask))
            continue;
        sites |= leaving_sites(thread, old->stand);
        missing &= (uint8_t)~old->mask;
    }
    return missing ? leaving_sites(thread, 0) : sites;
}

/* SOUND: also of a thread that is alone. */
void unread_access(const struct leaving *known, const struct granule *granule, uintptr_t seat, uint8_t mask,
                   const struct access *access)
{
    if (access->how & RACE_STORE || !in_stack(seat, access->thread))
        return;
    struct leaving more = {.reread = sites_since_access(granule, mask, access->thread)};
    if (more.reread & ~known->reread)
        guard_widen(seat, &more);
}

bool unread_widen(struct leaving *known, const struct leaving *more)
{
    struct leaving old = *known;
    known->reread |= more->reread;
    known->unread |= more->unread;
    known->through |= more->through;
    known->passed |= more->passed;
    if (known->reread & known->through)
        known->reread |= known->passed;
    races->learnt |= (known->reread & known->unread) != 0;
    known->unread &= ~known->reread;
    return old.reread != known->reread || old.unread != known->unread || old.through != known->through ||
           old.passed != known->passed;
}

void unread_renamed(uintptr_t byte, const struct access *access)
{
    if (!in_stack(byte, access->thread) || races->batches)
        return;
    const struct leaving *known = shadow_leaving(byte);
    struct leaving more = {.through = leaving_site(access->thread),
                           .passed = leaving_sites(access->thread, access->stand)};
    if (more.through & ~known->through || more.passed & ~known->passed)
        guard_widen(byte, &more);
}

static bool is_unread(int thread, uintptr_t byte)
{
    struct guard *guard = shadow_guard(byte);
    struct leaving more = {.unread = leaving_site(thread)};
    /* SOUND: others, who know the address, stand elsewhere. */
    if (races->batches || !more.unread || guard->users & ~((thread_set)1 << thread))
        return false;
    if (shadow_leaving(byte)->reread & more.unread)
        return false;
    count_on(&guard->users_count);
    races->leaving_counts = true;
    guard_widen(byte, &more);
    return true;
}

bool race_unread(int thread, uintptr_t from, size_t size)
{
    for (uintptr_t byte = from & ~(uintptr_t)(GUARDED - 1); byte < from + size; byte += GUARDED)
        if (!is_unread(thread, byte))
            return false;
    return true;
}
