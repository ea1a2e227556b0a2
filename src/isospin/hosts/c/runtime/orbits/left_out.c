/* With which earlier events a subtree would have raced that is left out: as few as can be told without exploring it.
 *
 * Reference: ../../../../engines/stateless/left_out.py.
 * Differs: what a thread knows is a clock, so that what it knows after each of several deeds is the least of their
 * clocks.  That who waits knows what those know who let it pass is not made use of.
 */
#include "orbits/images.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"

#include <string.h>

struct ahead {
    int thread;
    unsigned nth;
    uint32_t action;
};

static bool comes_before(const struct ahead *one, const struct ahead *other)
{
    if (one->thread != other->thread)
        return one->thread < other->thread;
    return one->nth != other->nth ? one->nth < other->nth : one->action < other->action;
}

static void put_in_order(struct ahead *list, unsigned count)
{
    for (unsigned gap = count / 2; gap; gap /= 2)
        for (unsigned i = gap; i < count; i++) {
            struct ahead moved = list[i];
            unsigned at = i;
            for (; at >= gap && comes_before(&moved, &list[at - gap]); at -= gap)
                list[at] = list[at - gap];
            list[at] = moved;
        }
}

/* Those that come behind the events of the trail, of each thread in order. */
static unsigned find_ahead(struct search *search, const struct seen *deeds)
{
    struct symmetry *symmetry = &search->symmetry;
    unsigned count = 0;
    for (unsigned i = 0; i < deeds->words; i++)
        for (uint64_t rest = deeds->bits[i]; rest; rest &= rest - 1) {
            struct deed each = deed(i * 64 + (unsigned)__builtin_ctzl(rest));
            int thread = action(each.action)->thread;
            if (each.nth < search->trail.of[thread].count)
                continue;
            GROW(symmetry->ahead, symmetry->ahead_room, count + 1);
            symmetry->ahead[count++] = (struct ahead){thread, each.nth, each.action};
        }
    put_in_order(symmetry->ahead, count);
    return count;
}

/* What a thread knows at a node: of each thread, as many of the first events. */
static void find_known(const struct search *search, const struct node *node, int thread, uint32_t known[MOST_THREADS])
{
    const struct trail *trail = &search->trail;
    bool was_there = (node->pending & only(thread)) || trail->of[thread].count;
    int before = was_there ? trail_before(trail, thread) : -1;
    if (before >= 0)
        memcpy(known, trail->clocks[before], sizeof trail->clocks[0]);
    else
        memset(known, 0, sizeof trail->clocks[0]);
}

static void go_back_for(struct search *search, uint32_t number, const uint32_t known[MOST_THREADS])
{
    const struct trail *trail = &search->trail;
    if (action_joins(action(number)))
        return;
    for (unsigned i = 0; i < action(number)->count; i++)
        for (int32_t e = action(action(number)->rivals[i])->last; e >= 0; e = trail->events[e].previous) {
            const struct action *a = action(number);
            if (known[trail->events[e].thread] > (uint32_t)e)
                break;
            /* SOUND: if another thread has the lock before the event, the event that took it is also among these, or
             * known. */
            if (trail_admits_before(a, e))
                orbit_go_back(search, e, a->thread,
                              (struct place){trail->events[e].pc, action(trail->events[e].action)->op.kind},
                              (struct place){a->op.pc, a->op.kind});
        }
}

/* What it knows after an action: all events on which that depends, and what they know. */
static void know_after(const struct trail *trail, uint32_t number, const uint32_t known[MOST_THREADS],
                       uint32_t after[MOST_THREADS])
{
    memcpy(after, known, sizeof trail->clocks[0]);
    for (unsigned i = 0; i < action(number)->count; i++) {
        int32_t last = action(action(number)->rivals[i])->last;
        for (int t = 0; last >= 0 && t < trail->threads; t++)
            if (trail->clocks[last][t] > after[t])
                after[t] = trail->clocks[last][t];
    }
}

static void keep_common(uint32_t common[MOST_THREADS], const uint32_t other[MOST_THREADS])
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (other[t] < common[t])
            common[t] = other[t];
}

/* The deeds of one thread from this place of the list on that have the same number; where the next ones begin.  SOUND:
 * one of them is what the thread does, so it knows what it would know after each of them. */
static unsigned go_back_for_level(struct search *search, unsigned from, unsigned count, uint32_t known[MOST_THREADS])
{
    uint32_t common[MOST_THREADS], after[MOST_THREADS];
    const struct ahead *list = search->symmetry.ahead;
    unsigned at = from;
    memset(common, 255, sizeof common);
    for (; at < count && list[at].thread == list[from].thread && list[at].nth == list[from].nth; at++) {
        go_back_for(search, list[at].action, known);
        know_after(&search->trail, list[at].action, known, after);
        keep_common(common, after);
    }
    memcpy(known, common, sizeof common);
    return at;
}

void go_back_for_races(struct search *search, const struct node *node, const struct seen *deeds)
{
    unsigned count = find_ahead(search, deeds);
    const struct ahead *list = search->symmetry.ahead;
    uint32_t known[MOST_THREADS];
    for (unsigned at = 0; at < count;) {
        if (!at || list[at].thread != list[at - 1].thread)
            find_known(search, node, list[at].thread, known);
        at = go_back_for_level(search, at, count, known);
    }
}
