/* Reference: the orbit-stabiliser theorem.
 * Differs: as ../../../orbit_sum.py says.
 */
#include "orbits/orbit_sum.h"

#include "explore/search.h"

static void choose(struct search *search)
{
    int best = 0;
    for (int depth = 1; depth < search->height; depth++)
        if (search->stack[depth]->orbit.fixing_count > search->stack[best]->orbit.fixing_count)
            best = depth;
    search->sum.depth = best;
    search->sum.base = search->stack[best]->number;
}

/* Do renamings not say what the image is?  That of a thread born later, or of an outcome among several. */
static bool is_beyond(const struct search *search)
{
    int base = search->sum.depth;
    for (int i = base; i < search->trail.count; i++)
        if (search->stack[i]->choices > 1 || !(search->stack[base]->pending & only(search->trail.events[i].thread)))
            return true;
    return false;
}

/* How many events of a thread happened before an event, or are it; those before the base do not count. */
static unsigned count_known(const struct search *search, int event, int thread)
{
    const struct trail *trail = &search->trail;
    unsigned past = trail_past(trail, thread, search->sum.depth);
    unsigned known = trail_past(trail, thread, (int)trail->clocks[event][thread]);
    return known > past ? known - past : 0;
}

/* The event that has the place of this one among those of another thread; -1: there is none. */
static int32_t counterpart(const struct search *search, int event, int thread)
{
    int base = search->sum.depth, own = search->trail.events[event].thread;
    unsigned n = trail_past(&search->trail, own, event) - trail_past(&search->trail, own, base);
    return trail_nth(&search->trail, thread, trail_past(&search->trail, thread, base) + n);
}

/* Is the image the same trace?  Programs do the same in the same order, so only the order of events counts. */
static bool is_kept(const struct search *search, const struct renaming *renaming)
{
    for (int i = search->sum.depth; i < search->trail.count; i++) {
        int32_t image = counterpart(search, i, renaming->to[search->trail.events[i].thread]);
        if (image < 0)
            return false;
        FOR_EACH (t, search->stack[search->sum.depth]->pending)
            if (count_known(search, i, (int)t) != count_known(search, image, renaming->to[t]))
                return false;
    }
    return true;
}

/* How many traces are images of the execution. */
static long long orbit_size(const struct search *search)
{
    const struct orbit *orbit = &search->stack[search->sum.depth]->orbit;
    long long kept = 1;
    if (!orbit->is_group || is_beyond(search))
        return 1;
    for (unsigned i = 0; i < orbit->fixing_count; i++)
        kept += is_kept(search, orbit->fixing[i]->renaming);
    return (orbit->fixing_count + 1) / kept;
}

void orbit_sum_add(struct search *search)
{
    struct orbit_sum *sum = &search->sum;
    if (!sum->base)
        choose(search);
    /* SOUND: of executions that pass the base none is the image of another, `is_covered` sees to that.  Others could
     * be, so they count for nothing. */
    if (search->height > sum->depth && search->stack[sum->depth]->number == sum->base)
        sum->total += orbit_size(search);
}
