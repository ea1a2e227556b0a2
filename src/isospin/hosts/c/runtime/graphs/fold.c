/* Reference: Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024 (SPORE: alike threads read in the order of writes).
 * Differs: as engines/stateless/graphs/folding.py: what a revisit has kept tells threads apart from then on, and
 * threads may have numbers and cells of their own.  Threads are alike only if all that they can see of the past is the
 * same.
 */
#include "graphs/fold.h"

#include "explore/arena.h"
#include "explore/program.h"
#include "explore/search.h"
#include "graphs/graphs.h"
#include "graphs/unordered/registers.h"

#include <string.h>

/* ---------------------------------------------------------------- who is alike */

/* SOUND: what follows must begin with all that there is now, for everybody: then it is as good as an initial state, and
 * no memory model tells two threads apart by it.  So everybody who lives must know all of it, but for births, which
 * touch nothing. */
static bool is_base(const struct graph *g, event_number birth)
{
    static struct relations relations;
    relate_happened(&relations, g);
    for (int t = 0; t < program_threads(); t++) {
        event_number last = program_pending(t) ? graph_last_of(g, t) : birth;
        if (last == NOBODY)
            return false;
        for (event_number e = 0; e < g->count; e++)
            if (g->events[e].kind != OP_CREATE && !is_in(relations.happened[last], &g->events[e]))
                return false;
    }
    return true;
}

static bool is_new(const struct graph *g, int thread)
{
    event_number last = program_pending(thread) ? graph_last_of(g, thread) : NOBODY;
    return last != NOBODY && g->events[last].thread != thread;
}

static bool are_known(const struct graph *g, int first, int second)
{
    for (int i = 0; i < g->twin_count; i++)
        if (g->twins[i].first == first && g->twins[i].second == second)
            return true;
    return false;
}

static bool exchanges(const struct renaming *renaming, int first, int second)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (renaming->to[t] != (t == first ? second : t == second ? first : t))
            return false;
    return true;
}

static void look_at(struct search *search, struct graph *g, int first, int second)
{
    if (are_known(g, first, second))
        return;
    const struct renaming *found = orbit_alike(search, first, second);
    if (!found || !exchanges(found, first, second))
        return;
    GROW(g->twins, g->twin_room, g->twin_count + 1);
    g->twins[g->twin_count++] = (struct twins){first, second, g->count - 1, found};
    registers_give_up(); /* SOUND: places decide which of two images is explored */
}

void fold_look(struct search *search, struct graph *g)
{
    if (!is_base(g, g->count - 1))
        return;
    for (int second = 1; second < program_threads(); second++)
        for (int first = 0; first < second && is_new(g, second); first++)
            if (is_new(g, first))
                look_at(search, g, first, second);
}

/* ---------------------------------------------------------------- what a revisit has kept */

static struct {
    bool *seen, *kept;
    unsigned seen_room, kept_room;
} marks;

/* Whatever an event knows of that was inserted behind a stamp. */
static void keep_past(const struct graph *g, event_number e, int32_t stamp)
{
    if (e == NOBODY || marks.seen[e])
        return;
    const struct graph_event *event = &g->events[e];
    marks.seen[e] = true;
    marks.kept[e] |= event->stamp > stamp;
    keep_past(g, event->previous, stamp);
    keep_past(g, event->source, stamp);
    for (int i = 0; i < event->objects; i++)
        keep_past(g, event->before[i], stamp);
    for (thread_set left = event->joins; left; left &= left - 1)
        keep_past(g, graph_last_of(g, __builtin_ctzl(left)), stamp);
}

static void keep_for(const struct graph *g, int32_t stamp, event_number seen)
{
    if (seen == NOBODY || g->events[seen].stamp < stamp)
        return;
    memset(marks.seen, 0, (size_t)g->count);
    keep_past(g, seen, stamp);
}

/* Events that an event depends on that was inserted before them. */
static void find_kept(const struct graph *g)
{
    GROW(marks.seen, marks.seen_room, g->count + 1);
    GROW(marks.kept, marks.kept_room, g->count + 1);
    memset(marks.kept, 0, (size_t)g->count);
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].reads)
            keep_for(g, g->events[e].stamp, g->events[e].source);
    for (int i = 0; i < g->mark_count; i++)
        keep_for(g, g->marks[i].stamp, g->marks[i].by);
}

/* ---------------------------------------------------------------- the order of two threads */

enum comparison { WRONG, SAME, NOT_DECIDED, RIGHT };

struct exchange {
    const struct graph *graph;
    const struct renaming *renaming;
};

/* Is the second one the image of the first, or nothing of both? */
static bool are_images(const struct exchange *x, event_number first, event_number second)
{
    if (first == NOBODY || second == NOBODY)
        return first == second;
    const struct graph_event *one = &x->graph->events[first], *other = &x->graph->events[second];
    return x->renaming->to[one->thread] == other->thread && one->nth == other->nth;
}

static enum comparison ordered(bool right) { return right ? RIGHT : WRONG; }

static enum comparison compare_accesses(const struct exchange *x, const struct graph_event *one,
                                        const struct graph_event *other)
{
    const struct graph *g = x->graph;
    bool shared = one->variable == other->variable;
    if (!object_is_image(x->renaming, one->variable, other->variable))
        return NOT_DECIDED;
    if (!one->reads)
        return shared ? ordered(one->place < other->place) : SAME;
    if ((shared && one->source == other->source) || are_images(x, one->source, other->source))
        return SAME;
    if (shared)
        return ordered(graph_place_of(g, one->source) < graph_place_of(g, other->source));
    /* SOUND: places in two orders of writes cannot be compared, they change; but what comes first in each stays so. */
    if (one->source == NOBODY || other->source == NOBODY)
        return ordered(one->source == NOBODY);
    return NOT_DECIDED;
}

/* Does the first come before the second in a chain? */
static bool precedes(const struct graph *g, event_number first, event_number second, int32_t object)
{
    for (event_number e = second; e != NOBODY;) {
        const struct graph_event *event = &g->events[e];
        int i = 0;
        while (event->object[i] != object)
            i++;
        e = event->before[i];
        if (e == first)
            return true;
    }
    return false;
}

static enum comparison compare_operations(const struct exchange *x, event_number first, event_number second)
{
    const struct graph_event *one = &x->graph->events[first], *other = &x->graph->events[second];
    for (int i = 0; i < one->objects; i++) {
        if (one->object[i] == other->object[i])
            return ordered(precedes(x->graph, first, second, one->object[i]));
        if (!object_is_image(x->renaming, one->object[i], other->object[i]) ||
            !are_images(x, one->before[i], other->before[i]))
            return NOT_DECIDED;
    }
    if (one->choice == other->choice)
        return SAME;
    return one->kind == OP_TOSS ? ordered(one->choice > other->choice) : NOT_DECIDED;
}

/* Events of two threads that are at the same place in them. */
static enum comparison compare(const struct exchange *x, event_number first, event_number second)
{
    const struct graph_event *one = &x->graph->events[first], *other = &x->graph->events[second];
    if (one->kind != other->kind || one->objects != other->objects)
        return NOT_DECIDED;
    if (one->stuck != other->stuck) /* to wait for ever is to see what is later than all */
        return ordered(other->stuck);
    return one->variable == NOBODY ? compare_operations(x, first, second) : compare_accesses(x, one, other);
}

static event_number next_of(const struct graph *g, int thread, event_number before)
{
    for (event_number e = before + 1; e < g->count; e++)
        if (g->events[e].thread == thread)
            return e;
    return NOBODY;
}

/* Of a graph and its image under the exchange of two threads: is this the one that is explored?  What a revisit has
 * kept decides nothing, unless `all` counts. */
static enum comparison order_of(const struct graph *g, const struct twins *twins, bool all)
{
    struct exchange x = {g, twins->renaming};
    event_number one = NOBODY, other = NOBODY;
    while ((other = next_of(g, twins->second, other)) != NOBODY) {
        one = next_of(g, twins->first, one);
        if (one == NOBODY)
            return WRONG;
        if (!all && marks.kept[one])
            return NOT_DECIDED;
        enum comparison found = compare(&x, one, other);
        if (found != SAME)
            return found;
    }
    return next_of(g, twins->first, one) == NOBODY ? SAME : RIGHT;
}

bool fold_keeps(const struct graph *g)
{
    bool found = false; /* what is kept, which is seldom asked */
    for (int i = 0; i < g->twin_count; i++) {
        if (order_of(g, &g->twins[i], true) != WRONG)
            continue;
        if (!found)
            find_kept(g);
        found = true;
        if (order_of(g, &g->twins[i], false) == WRONG)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- how many it stands for */

/* Threads in classes: each has the number of its first member. */
static int class_of(const int *first, int thread)
{
    while (first[thread] != thread)
        thread = first[thread];
    return thread;
}

static void unite(int *first, int one, int other)
{
    int a = class_of(first, one), b = class_of(first, other);
    first[a > b ? a : b] = a < b ? a : b;
}

/* The product of the factorials of the sizes of the classes. */
static double permutations(const int *first)
{
    double product = 1;
    for (int t = 0; t < program_threads(); t++) {
        int before = 1;
        for (int u = 0; u < t; u++)
            before += class_of(first, u) == class_of(first, t);
        product *= before;
    }
    return product;
}

/* SOUND: whatever leaves a graph as it is permutes only threads between which nothing decides; and so does what takes
 * it to another one that is explored.  So the images of which this one is the only one to be explored are at least
 * these, divided by all such permutations. */
long long fold_size(const struct graph *g)
{
    int alike[MOST_THREADS], even[MOST_THREADS];
    for (int t = 0; t < program_threads(); t++)
        alike[t] = even[t] = t;
    for (int i = 0; i < g->twin_count; i++) {
        const struct twins *twins = &g->twins[i];
        enum comparison found = order_of(g, twins, true);
        unite(alike, twins->first, twins->second);
        if (found == SAME || found == NOT_DECIDED)
            unite(even, twins->first, twins->second);
    }
    double size = permutations(alike) / permutations(even);
    return size < 1e18 ? (long long)size : (long long)1e18;
}
