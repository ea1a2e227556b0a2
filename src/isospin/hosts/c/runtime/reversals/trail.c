/* Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (races, `notdep`).
 * Differs: operations that wait, as in ../../../trail.py.  Whether an operation can be executed after what is left is
 * decided from the events where they tell who owns a lock; elsewhere it is taken to be so, and at most blocked runs
 * follow.
 */
#include "reversals/trail.h"

#include "explore/arena.h"
#include "await/await.h"

#include <string.h>

enum { MOST_CUTS = 4096 };

/* ---------------------------------------------------------------- events */

int trail_before(const struct trail *trail, int thread)
{
    unsigned count = trail->of[thread].count;
    return count ? trail->of[thread].events[count - 1] : trail->birth[thread];
}

bool trail_happened(const struct trail *trail, int event, int after)
{
    return after >= 0 && trail->clocks[after][trail->events[event].thread] > (uint32_t)event;
}

static int32_t owner_after(int32_t owner, int kind, int thread)
{
    switch (kind) {
    case OP_LOCK:
    case OP_WAKE:
    case OP_TIMED_WAKE:
        return owner == FREE ? thread : UNDECIDED;
    case OP_TRYLOCK:
    case OP_TIMEDLOCK: /* while another has it: a time-out */
        return owner == FREE ? thread : owner == thread ? UNDECIDED : owner;
    case OP_UNLOCK:
    case OP_WAIT:
        return owner == thread ? FREE : UNDECIDED;
    case OP_INITIALISE:
        return owner == FREE ? FREE : UNDECIDED;
    default:
        return UNDECIDED; /* SOUND: what we do not know, we do not refuse */
    }
}

static void use(const struct action *a, int event)
{
    for (int i = 0; i < a->op.spans; i++) {
        if (a->object[i] < 0)
            continue;
        struct object *o = object(a->object[i]);
        GROW(o->uses, o->room, o->count + 1);
        o->uses[o->count++] = (struct use){event, o->owner};
        /* SOUND: who only reads an object (a reader's lock, a loop that looks at it) does not get it. */
        if (o->owner != UNDECIDED)
            o->owner = a->op.span[i].writes ? owner_after(o->owner, a->op.kind, a->thread) : UNDECIDED;
    }
}

static void unuse(const struct action *a)
{
    for (int i = a->op.spans - 1; i >= 0; i--)
        if (a->object[i] >= 0) {
            struct object *o = object(a->object[i]);
            o->owner = o->uses[--o->count].owner;
        }
}

static void add_cause(struct trail *trail, int event, int cause)
{
    GROW(trail->causes, trail->cause_room, trail->cause_count + 1);
    trail->causes[trail->cause_count++] = cause;
    uint32_t *clock = trail->clocks[event];
    const uint32_t *known = trail->clocks[cause];
    for (int t = 0; t < trail->threads; t++)
        if (known[t] > clock[t])
            clock[t] = known[t];
}

void trail_clear(struct trail *trail)
{
    trail->count = 0;
    trail->cause_count = 0;
    for (int t = 0; t < MOST_THREADS; t++)
        trail->of[t].count = 0;
}

int trail_push(struct trail *trail, int thread, int choice, uint32_t number, int await, uint64_t seen, const void *pc)
{
    int index = trail->count++;
    struct action *a = action(number);
    int before = trail_before(trail, thread);
    GROW(trail->events, trail->event_room, trail->count);
    GROW(trail->clocks, trail->clock_room, trail->count);
    trail->events[index] =
        (struct event){number, choice, a->last, before, trail->cause_count, (uint8_t)thread, await, seen, pc};
    if (before >= 0)
        memcpy(trail->clocks[index], trail->clocks[before], sizeof trail->clocks[0]);
    else
        memset(trail->clocks[index], 0, sizeof trail->clocks[0]);
    if (before >= 0 && trail->events[before].thread != thread)
        add_cause(trail, index, before); /* its birth */
    for (unsigned i = 0; i < a->count; i++) {
        int32_t last = action(a->rivals[i])->last;
        if (last >= 0)
            add_cause(trail, index, last);
    }
    trail->clocks[index][thread] = (uint32_t)index + 1;
    a->last = index;
    GROW(trail->of[thread].events, trail->of[thread].room, trail->of[thread].count + 1);
    trail->of[thread].events[trail->of[thread].count++] = index;
    use(a, index);
    return index;
}

void trail_pop(struct trail *trail)
{
    const struct event *e = &trail->events[--trail->count];
    struct action *a = action(e->action);
    unuse(a);
    a->last = e->previous;
    trail->of[e->thread].count--;
    trail->cause_count = e->causes;
}

const int32_t *trail_causes(const struct trail *trail, int event, unsigned *count)
{
    unsigned first = trail->events[event].causes;
    *count = (event + 1 < trail->count ? trail->events[event + 1].causes : trail->cause_count) - first;
    return trail->causes + first;
}

unsigned trail_past(const struct trail *trail, int thread, int depth)
{
    unsigned low = 0, high = trail->of[thread].count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (trail->of[thread].events[middle] < depth)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t trail_nth(const struct trail *trail, int thread, unsigned n)
{
    return n < trail->of[thread].count ? trail->of[thread].events[n] : -1;
}

/* ---------------------------------------------------------------- what is left without the roots */

static bool kept(const struct trail *trail, const struct reversal *r, int event)
{
    for (int i = 0; i < r->count; i++)
        if (trail_happened(trail, r->roots[i], event))
            return false;
    return true;
}

/* The newest events of the rivals behind the depth: is one of those that are left among them? */
static bool depends_on_kept(const struct trail *trail, const struct reversal *r)
{
    /* SOUND: what it does there is not known before it is tried, so the worst is assumed. */
    const struct action *a = action(r->possible);
    for (unsigned i = 0; i < a->count; i++)
        for (int32_t e = action(a->rivals[i])->last; e > r->depth; e = trail->events[e].previous)
            if (kept(trail, r, e))
                return true;
    return false;
}

void trail_sequence(const struct trail *trail, const struct reversal *r, struct sequence *sequence)
{
    int thread = action(r->action)->thread;
    bool first = !depends_on_kept(trail, r);
    sequence->count = 0;
    for (int e = r->depth + 1; first && e < r->end; e++)
        first = trail->events[e].thread != thread || !kept(trail, r, e);
    if (first)
        sequence_add(sequence, r->possible, 0);
    for (int e = r->depth + 1; e < r->end; e++)
        if (kept(trail, r, e))
            sequence_add(sequence, trail->events[e].action, trail->events[e].choice);
    if (!first)
        sequence_add(sequence, r->possible, 0);
}

thread_set trail_initials(const struct trail *trail, const struct reversal *r, int *earliest)
{
    int32_t first[MOST_THREADS];
    thread_set there = 0, found = 0;
    for (int t = 0; t < trail->threads; t++) {
        first[t] = trail_nth(trail, t, trail_past(trail, t, r->depth + 1));
        if (first[t] >= 0 && kept(trail, r, first[t]))
            there |= only(t);
    }
    *earliest = -1;
    FOR_EACH (t, there) {
        bool free = true;
        FOR_EACH (u, there)
            free &= u == t || trail->clocks[first[t]][u] <= (uint32_t)first[u];
        if (!free)
            continue;
        found |= only((int)t);
        if (*earliest < 0 || first[t] < first[*earliest])
            *earliest = (int)t;
    }
    int thread = action(r->action)->thread;
    if (!(there & only(thread)) && !depends_on_kept(trail, r))
        found |= only(thread);
    return found;
}

static int32_t owner_before(const struct object *o, int event)
{
    unsigned low = 0, high = o->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (o->uses[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->count ? o->uses[low].owner : o->owner;
}

/* Who owned the object after what is left of its uses.  SOUND: all that changes its owner writes it, and what follows
 * from a root is gone with it, so what is left is a beginning. */
static int32_t owner_left(const struct trail *trail, const struct reversal *r, int32_t number)
{
    const struct object *o = object(number);
    int32_t owner = o->owner;
    const struct action *root = action(trail->events[r->roots[0]].action);
    for (int i = 0; r->count == 1 && i < root->op.spans; i++)
        if (root->object[i] == number)
            return owner_before(o, r->roots[0]); /* the quick way */
    for (unsigned i = o->count; i > 0 && !kept(trail, r, o->uses[i - 1].event); i--)
        owner = o->uses[i - 1].owner;
    return owner;
}

/* Does whether the operation can be executed depend on this span?  On all of them, if nothing was said. */
static bool decides(const struct operation *op, int span)
{
    bool said = false;
    for (int i = 0; i < op->spans; i++)
        said |= op->span[i].decides;
    return op->span[span].decides || !said;
}

/* Can the operation never be executed while another thread owns the object of this span?  SOUND: a timed one can, in
 * vain; a loop that looks at the object waits for any change of it. */
static bool needs(const struct action *a, int span)
{
    bool takes = a->op.span[span].writes || a->op.kind == OP_READ_LOCK;
    return a->op.waits && a->op.kind != OP_TIMEDLOCK && takes && decides(&a->op, span) && a->object[span] >= 0;
}

static bool is_free_for(int32_t owner, const struct action *a) { return owner < 0 || owner == a->thread; }

static bool same_bytes(const struct operation *a, const struct operation *b)
{
    const struct span *s = a->span, *t = b->span;
    return a->spans && b->spans && s->space == MEMORY && t->space == MEMORY && s->from == t->from && s->size == t->size;
}

/* Is it an await, whose round might fail there?  SOUND: all that writes the location is dependent on the root, so what
 * was in it before the root is what the await finds if the root and what follows are taken away. */
struct doubt trail_doubt(const struct trail *trail, const struct reversal *r)
{
    const struct event *root = &trail->events[r->roots[0]];
    /* SOUND: what commutes with the root may be left.  (As long as there are awaits nothing does; but see that it is.)
     */
    bool finds = r->await && r->count == 1 && !action(root->action)->op.span[0].commutes &&
                 same_bytes(&action(root->action)->op, &action(r->action)->op);
    return finds ? (struct doubt){r->await, root->seen} : (struct doubt){0};
}

bool trail_admits(const struct trail *trail, const struct reversal *r)
{
    const struct action *a = action(r->action);
    struct doubt doubt = trail_doubt(trail, r);
    int how;
    if (doubt.await && await_fails(doubt.await, doubt.value, &how))
        return false;
    for (int i = 0; i < a->op.spans; i++)
        if (needs(a, i) && !is_free_for(owner_left(trail, r, a->object[i]), a))
            return false;
    return true;
}

bool trail_is_certain(const struct trail *trail, const struct reversal *r)
{
    const struct action *a = action(r->action);
    struct doubt doubt = trail_doubt(trail, r);
    if (r->await)
        return doubt.await && await_passes(doubt.await, doubt.value);
    for (int i = 0; i < a->op.spans; i++)
        if (a->op.waits && !(a->op.kind == OP_LOCK && needs(a, i) && owner_left(trail, r, a->object[i]) == FREE))
            return false;
    return true;
}

bool trail_admits_before(const struct action *a, int event)
{
    for (int i = 0; i < a->op.spans; i++)
        if (needs(a, i) && !is_free_for(owner_before(object(a->object[i]), event), a))
            return false;
    return true;
}

/* ---------------------------------------------------------------- races */

static void immediate(struct trail *trail, const struct reversal *wanted, const int32_t *causes, unsigned count,
                      int before, reverser *reverse, void *search)
{
    for (unsigned i = 0; i < count; i++) {
        if (trail_happened(trail, causes[i], before))
            continue;
        bool newest = true;
        for (unsigned j = 0; newest && j < count; j++)
            newest = j == i || causes[j] <= causes[i] || !trail_happened(trail, causes[i], causes[j]);
        struct reversal r = *wanted;
        r.depth = r.roots[0] = causes[i];
        r.count = 1;
        if (newest)
            reverse(search, &r);
    }
}

static bool touches(const struct operation *op, const struct span *span)
{
    for (int i = 0; i < op->spans; i++)
        if (overlapping(&op->span[i], span))
            return true;
    return false;
}

static void newest_first(int32_t *list, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        int32_t moved = list[i];
        unsigned j = i;
        for (; j > 0 && list[j - 1] < moved; j--)
            list[j] = list[j - 1];
        list[j] = moved;
    }
}

static void note(struct trail *trail, int span, unsigned *count, int32_t event)
{
    GROW(trail->found[span], trail->found_room[span], *count + 1);
    trail->found[span][(*count)++] = event;
}

/* The accesses to an object that the thread does not know of, newest first. */
static unsigned unknown_uses(struct trail *trail, const struct action *a, int span, int before, int index)
{
    unsigned count = 0;
    const struct object *o = object(a->object[span]);
    for (unsigned i = o->count; i > 0; i--) {
        int32_t e = o->uses[i - 1].event;
        if (index >= 0 && e >= index)
            continue;
        bool writes =
            touches(&action(trail->events[e].action)->op, &(struct span){.from = o->address, .size = 1, .space = SYNC});
        if (trail_happened(trail, e, before)) {
            if (writes)
                break; /* and so did all that came before it */
        } else if (writes || a->op.span[span].writes) {
            note(trail, span, &count, e);
        }
    }
    return count;
}

/* The same for bytes of memory. */
static unsigned unknown_accesses(struct trail *trail, const struct action *a, int span, int before, int index)
{
    unsigned count = 0;
    for (unsigned i = 0; i < a->count; i++) {
        const struct action *other = action(a->rivals[i]);
        if (other->last < 0 || !touches(&other->op, &a->op.span[span]))
            continue;
        for (int32_t e = other->last; e >= 0 && !trail_happened(trail, e, before); e = trail->events[e].previous)
            if (index < 0 || e < index)
                note(trail, span, &count, e);
    }
    newest_first(trail->found[span], count);
    return count;
}

/* SOUND: whatever part of the earlier accesses to what decides lets the operation pass, one of these cuts leaves
 * exactly it. Accesses to what it touches besides do not matter here: their races are immediate ones. */
static bool cuts(struct trail *trail, uint32_t number, int before, int index, struct reversal *r, int span,
                 size_t product, reverser *reverse, void *search)
{
    const struct action *a = action(number);
    while (span < a->op.spans && !decides(&a->op, span))
        span++;
    if (span == a->op.spans) {
        if (r->count)
            reverse(search, r);
        return true;
    }
    unsigned count = a->object[span] >= 0 ? unknown_uses(trail, a, span, before, index)
                                          : unknown_accesses(trail, a, span, before, index);
    if (product > 1 && count * product > MOST_CUTS)
        return false;
    bool all = cuts(trail, number, before, index, r, span + 1, product * (count + 1), reverse, search);
    for (unsigned i = 0; i < count; i++) {
        struct reversal more = *r;
        int32_t root = trail->found[span][i];
        more.depth = more.count == 0 || root < more.depth ? root : more.depth;
        more.roots[more.count++] = root;
        all &= cuts(trail, number, before, index, &more, span + 1, product * (count + 1), reverse, search);
    }
    return all;
}

/* The action as it is if it writes. */
static uint32_t possible(uint32_t number)
{
    struct operation op = action(number)->op;
    if (op.kind != OP_UPDATE || op.span[0].writes)
        return number;
    op.span[0].writes = true;
    return action_number(action(number)->thread, &op);
}

bool trail_races(struct trail *trail, uint32_t number, int await, int before, int index, reverser *reverse,
                 void *search)
{
    struct reversal wanted = {.action = number, .possible = possible(number), .await = await};
    wanted.end = index < 0 ? trail->count : index;
    const struct action *a = action(number);
    if (action_joins(a))
        return true;
    bool all = true;
    if (a->op.waits)
        all = cuts(trail, number, before, index, &wanted, 0, 1, reverse, search);
    if (index >= 0) {
        unsigned count;
        const int32_t *causes = trail_causes(trail, index, &count);
        immediate(trail, &wanted, causes, count, before, reverse, search);
        return all;
    }
    unsigned count = 0;
    for (unsigned i = 0; i < a->count; i++) {
        int32_t last = action(a->rivals[i])->last;
        if (last >= 0)
            note(trail, 0, &count, last);
    }
    immediate(trail, &wanted, trail->found[0], count, before, reverse, search);
    return all;
}
