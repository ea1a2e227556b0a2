/* Is an execution the image of one that was explored? */
#include "orbits/images.h"

#include "explore/explore.h"
#include "explore/search.h"

#include <string.h>

/* One walk down the stack: the images of which events were met so far. */
struct walk {
    const struct search *search;
    struct image *image;
    int base;
    unsigned past[MOST_THREADS];  /* of each thread, how many of its events come before the base */
    unsigned count[MOST_THREADS]; /* and how many were met since */
};

/* The event whose image is the next one of a thread, if it can come next; else -1. */
static int next_event(const struct walk *walk, int thread)
{
    const struct trail *trail = &walk->search->trail;
    int who = walk->image->inverse->to[thread];
    int32_t index = trail_nth(trail, who, walk->past[who] + walk->count[thread]);
    if (index < 0)
        return -1;
    unsigned count;
    const int32_t *causes = trail_causes(trail, index, &count);
    for (unsigned i = 0; i < count; i++) {
        int32_t cause = causes[i];
        if (cause < walk->base)
            continue;
        int other = trail->events[cause].thread; /* met, if not later than those of its thread that were */
        unsigned met = walk->past[other] + walk->count[walk->image->renaming->to[other]];
        if (met == 0 || trail->of[other].events[met - 1] < cause)
            return -1;
    }
    return index;
}

/* The outcomes of a signal are the threads that it wakes: under a renaming another outcome, and we do not know which.
 */
static bool names_threads(const struct node *node)
{
    return node->choices > 1 && action(node->action[node->thread])->op.kind == OP_SIGNAL;
}

/* What was seen where the node explored the next event of the image already; NULL: it did not. */
static const struct seen *explored_at(const struct walk *walk, const struct node *node)
{
    FOR_EACH (t, node->sleep)
        if (next_event(walk, (int)t) >= 0)
            return &node->orbit.asleep[t];
    if (!node->orbit.choice_count || names_threads(node))
        return NULL;
    int index = next_event(walk, node->thread);
    if (index < 0 || (unsigned)walk->search->trail.events[index].choice >= node->orbit.choice_count)
        return NULL;
    return &node->orbit.choices[walk->search->trail.events[index].choice];
}

static bool meets(struct walk *walk, int depth)
{
    const struct event *event = &walk->search->trail.events[depth];
    int index = next_event(walk, event->thread);
    if (index < 0)
        return false;
    struct event other = walk->search->trail.events[index];
    if (other.choice != event->choice ||
        image_of_action(&walk->image->there, walk->image->renaming, other.action) != event->action)
        return false;
    if (names_threads(walk->search->stack[depth]))
        return false;
    /* SOUND: a child of a thread that moves is the image of another thread, and we do not know which. */
    if (action(event->action)->op.kind == OP_CREATE && walk->image->renaming->to[event->thread] != event->thread)
        return false;
    walk->count[event->thread]++;
    return true;
}

/* How many events of each thread come before the base. */
static void find_past(struct walk *walk)
{
    const struct trail *trail = &walk->search->trail;
    for (int t = 0; t < trail->threads; t++)
        walk->past[t] = trail_past(trail, t, walk->base);
}

static const struct seen *covering(struct walk *walk)
{
    memset(walk->count, 0, sizeof walk->count);
    for (int depth = walk->base; depth < walk->search->height; depth++) {
        const struct seen *seen = explored_at(walk, walk->search->stack[depth]);
        if (seen)
            return seen;
        if (!meets(walk, depth))
            return NULL;
    }
    return NULL;
}

const struct seen *find_covering(struct search *search, struct image **image, int *base)
{
    struct walk walk = {.search = search};
    for (walk.base = 0; walk.base < search->height; walk.base++) {
        const struct orbit *orbit = &search->stack[walk.base]->orbit;
        if (orbit->fixing_count)
            find_past(&walk);
        for (unsigned i = 0; i < orbit->fixing_count; i++) {
            walk.image = *image = orbit->fixing[i];
            const struct seen *seen = covering(&walk);
            if (!seen)
                continue;
            *base = walk.base;
            return seen;
        }
    }
    return NULL;
}
