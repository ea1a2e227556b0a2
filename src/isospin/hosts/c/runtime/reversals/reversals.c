/* Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR, and
 * Optimal-DPOR where threads are not compared).
 * Differs: as ../../../dpor.py and wakeup.h say.  A wish for an await that comes before a write is one as long as its
 * round is not known to fail there (wanted.h).
 */
#include "explore/explore.h"
#include "explore/program.h"
#include "explore/search.h"

/* Is somebody wanted already who meets the wish? */
static bool is_wanted(const struct wanted *wanted, const struct wish *wish)
{
    FOR_EACH (t, wish->first & wanted->threads)
        if (wanted_has(wanted, (int)t, wish->doubt))
            return true;
    return false;
}

void search_wish(struct search *s, const struct wish *wish)
{
    struct node *node = s->stack[wish->depth];
    if (wish->back) {
        orbit_go_back(s, wish->depth, wish->thread, wish->here, wish->there);
        return;
    }
    if (wish->first & node->sleep || is_wanted(&node->todo, wish))
        return;
    if (wish->depth <= s->jobs.base) { /* who is explored there is not decided here */
        jobs_wish(s, wish);
        return;
    }
    thread_set met = wish->first & node->todo.threads;
    if (met) {
        wanted_add(&node->todo, __builtin_ctzl(met), wish->doubt);
        return;
    }
    /* SOUND: nothing that is kept matters for the action then, so if it cannot be executed here, it cannot there. */
    if (wish->first & only(wish->thread) & ~node->enabled)
        return;
    wanted_add(&node->todo, wish->first & only(wish->thread) ? wish->thread : wish->earliest, wish->doubt);
    search_note_reversed(s, wish->here, wish->there);
}

/* The threads that can begin the sequence at a node. */
static bool is_begun(const struct node *node, const struct sequence *sequence)
{
    FOR_EACH (t, node->sleep)
        if (sequence_may_begin(sequence, node->action[t]))
            return true;
    return false;
}

/* SOUND: as Optimal-DPOR says; what a sleeping thread can begin was explored with it, and its races. */
static void insert(struct search *s, const struct wish *wish, const struct reversal *r)
{
    struct node *node = s->stack[wish->depth];
    struct sequence *v = &s->sequence;
    trail_sequence(&s->trail, r, v);
    if (is_begun(node, v))
        return;
    v->ends = trail_is_certain(&s->trail, r) || (v->count == 1 && !r->await);
    if (!v->ends && v->count > 1)
        sequence_leave_out(v, r->possible);
    if (v->count == 1 && !(node->enabled & only(action(v->steps[0].action)->thread)))
        return;
    if (wanted_insert(&node->todo, node->action, v, wish->doubt))
        search_note_reversed(s, wish->here, wish->there);
}

/* Some thread with which the reversed order can begin must be explored where the race begins. */
static void reverse(void *search, const struct reversal *r)
{
    struct search *s = search;
    if (!trail_admits(&s->trail, r))
        return;
    const struct event *root = &s->trail.events[r->roots[0]];
    struct wish wish = {.depth = r->depth, .thread = action(r->action)->thread, .doubt = trail_doubt(&s->trail, r)};
    wish.here = (struct place){root->pc, action(root->action)->op.kind};
    wish.there = (struct place){s->racing, action(r->action)->op.kind};
    wish.first = trail_initials(&s->trail, r, &wish.earliest) & s->stack[r->depth]->pending; /* born by then */
    if (!s->exact)
        search_wish(s, &wish);
    else if (!(wish.first & s->stack[wish.depth]->sleep))
        insert(s, &wish, r);
}

static void analyse(struct search *s, uint32_t number, int await, int before, int index)
{
    const struct operation *op = index < 0 ? program_pending(action(number)->thread) : NULL;
    s->racing = index >= 0 ? s->trail.events[index].pc : op ? op->pc : action(number)->op.pc;
    if (!trail_races(&s->trail, number, await, before, index, reverse, s))
        s->incomplete = INCOMPLETE_CUTS;
}

/* Race detection for the events that are new since the last one, and for those who wait at the end. */
void search_reverse(struct search *s, struct node *node)
{
    int first = 0;
    while (first < s->trail.count && s->stack[first]->analysed_thread == s->trail.events[first].thread &&
           s->stack[first]->analysed_choice == s->trail.events[first].choice)
        first++;
    for (int i = first; i < s->trail.count; i++) {
        const struct event *e = &s->trail.events[i];
        s->stack[i]->analysed_thread = e->thread;
        s->stack[i]->analysed_choice = e->choice;
        analyse(s, e->action, e->await, e->before, i);
    }
    FOR_EACH (t, node->pending) {
        bool stands = action(node->action[t])->op.waits && !(node->enabled & only((int)t));
        if (node->cut || stands)
            analyse(s, node->action[t], node->await[t], trail_before(&s->trail, (int)t), -1);
    }
}

/* ---------------------------------------------------------------- sequences that go on */

static void insert_way(struct search *s, struct node *node, bool ends)
{
    const struct sequence *way = &s->way;
    s->sequence.count = 0;
    for (unsigned i = 0; i < way->count; i++)
        sequence_add(&s->sequence, way->steps[i].action, way->steps[i].choice);
    s->sequence.ends = ends;
    wanted_insert(&node->todo, node->action, &s->sequence, (struct doubt){0});
}

/* All ways from a branch on, one after the other, but those with a thread that cannot go on (-1: none). */
static void follow(struct search *s, struct node *node, const struct branch *branch, unsigned steps, int without)
{
    if (action(branch->action)->thread == without)
        return;
    s->way.count = steps;
    sequence_add(&s->way, branch->action, ANY_CHOICE);
    if (!branch->below)
        insert_way(s, node, branch->ends);
    for (const struct branch *b = branch->below; b; b = b->next) {
        s->way.steps[steps].choice = b->after;
        follow(s, node, b, steps + 1, without);
    }
}

/* SOUND: a thread that cannot go on (its round fails, as is known by now) may be in the way of sequences that do
 * without it. */
static void follow_all(struct search *s, struct node *node, const struct branch *branch, int choice, int without)
{
    for (; branch; branch = branch->next) {
        int thread = action(branch->action)->thread;
        if (choice != ANY_CHOICE && branch->after != choice && branch->after != ANY_CHOICE)
            continue;
        if (node->enabled & only(thread))
            follow(s, node, branch, 0, without);
        else
            follow_all(s, node, branch->below, ANY_CHOICE, thread);
    }
}

void search_follow(struct search *s, struct node *node)
{
    const struct node *parent = s->stack[s->height - 2];
    int choice = s->trail.events[s->height - 2].choice;
    follow_all(s, node, wanted_below(&parent->todo, parent->thread), choice, -1);
}

void search_do_without(struct search *s, struct node *node)
{
    follow_all(s, node, wanted_below(&node->todo, node->thread), ANY_CHOICE, node->thread);
}
