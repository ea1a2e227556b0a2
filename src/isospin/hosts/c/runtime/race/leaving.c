/* Bytes that nobody comes back to: a job that its worker has done, memory that was handed on and read.
 *
 * An access that some threads do not know of matters only as long as somebody may still access the same bytes.  Nobody
 * will if, in all executions so far, the thread that made it was the last one to access them (`handed` has those that
 * were not), and never came back to them from where it stands now (`again` has the places from which threads did). That
 * is assumed, and if it turns out to be wrong later, the search starts again.  Accesses of a thread that is alone do
 * not count: it knows all others.
 *
 * Reference: guard.c, which assumes other things of the same kind.
 * Differs: -.  SOUND: let E' be an execution that was left out, the image of E from a state s on under a renaming.  Two
 * accesses of E' to the same bytes are either both before s, and then in E; or both after it, and then images of two in
 * E, of which the same is said (guard_widen).  Or only the first one is before s.  If the renaming leaves the bytes as
 * they are, E has an access to them after s, too: one of another thread, and the first is handed, or one of the same
 * thread, which is then the access of its image in E'.  The last case, and bytes that move, are told by
 * leaving_renamed: whoever stood at a place of `again` when it was renamed may be followed by another one from then on.
 */
#include "race/race.h"

#include "explore/arena.h"
#include "race/shadow.h"

/* The bit of a place in the code; the last one stands for all that are too many. */
static uint8_t site_of(const void *pc)
{
    for (int i = 0; i < races->sites; i++)
        if (races->site[i] == pc)
            return (uint8_t)i;
    if (races->sites == MOST_SITES - 1)
        return MOST_SITES - 1;
    races->site[races->sites] = pc;
    return (uint8_t)races->sites++;
}

static bool unused; /* nobody will ask */

void race_without_symmetry(void) { unused = true; }

void race_stands(int thread, const void *pc)
{
    if (unused)
        return;
    GROW(races->stands[thread].sites, races->stands[thread].room, races->stands[thread].count + 1);
    races->stands[thread].sites[races->stands[thread].count++] = site_of(pc);
}

uint64_t leaving_sites(int thread, uint32_t stand)
{
    uint64_t sites = 0;
    for (uint32_t i = stand; i < races->stands[thread].count; i++)
        sites |= (uint64_t)1 << races->stands[thread].sites[i];
    return sites;
}

uint64_t leaving_site(int thread)
{
    unsigned count = races->stands[thread].count;
    return program_pending(thread) && count ? (uint64_t)1 << races->stands[thread].sites[count - 1] : 0;
}

bool leaving_widen(struct leaving *known, const struct leaving *more)
{
    struct leaving old = *known;
    known->handed |= more->handed;
    known->again |= more->again;
    known->left |= more->left;
    if (known->again & known->left) /* somebody else may come back to where a thread was */
        known->handed = ~(thread_set)0;
    races->learnt |= (known->handed & known->left_by) != 0;
    known->left_by &= ~known->handed;
    bool changed = old.handed != known->handed || old.again != known->again || old.left != known->left;
    changed |= unread_widen(known, more);
    races->changes += changed;
    return changed;
}

void leaving_access(const struct leaving *known, const struct granule *granule, uintptr_t seat, uint8_t mask,
                    const struct access *access)
{
    struct leaving more = {0};
    int thread = access->thread;
    if (unused || races->batches)
        return;
    unread_access(known, granule, seat, access->mask & mask, access);
    for (uint32_t at = granule->first; at != NONE; at = races->pool[at].next) {
        const struct access *old = &races->pool[at];
        if (!(old->mask & mask))
            continue;
        if (old->thread == thread) {
            more.again |= leaving_sites(thread, old->stand);
            continue;
        }
        more.handed |= (thread_set)1 << old->thread;
        if (old->clock > races->clock[thread][old->thread]) /* nothing orders them: it may as well come first */
            more.handed |= (thread_set)1 << thread;
    }
    if ((more.handed & ~known->handed || more.again & ~known->again) && !race_alone(thread))
        guard_widen(seat, &more);
}

bool leaving_is_left(uintptr_t byte, int thread)
{
    thread_set who = (thread_set)1 << thread;
    struct leaving *known = shadow_leaving(byte), more = {.left = leaving_site(thread)};
    if (races->batches || known->handed & who || known->again & more.left)
        return false;
    races->changes += !(known->left_by & who);
    known->left_by |= who;
    races->leaving_counts = true;
    guard_widen(byte, &more);
    return true;
}

void leaving_renamed(uintptr_t byte, int thread, bool byte_moves, bool thread_moves)
{
    const struct leaving *known = shadow_leaving(byte);
    struct leaving more = {.handed = byte_moves ? ~(thread_set)0 : 0, .left = thread_moves ? leaving_site(thread) : 0};
    if (!races->batches && (more.handed & ~known->handed || more.left & ~known->left))
        guard_widen(byte, &more);
}

void leaving_give_up(void)
{
    races->learnt |= !races->batches && races->leaving_counts;
    races->changes += !races->batches;
    races->batches = true;
}
