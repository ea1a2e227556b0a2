/* Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt).
 * Differs: a run goes on to its end at once and leaves behind the graphs that branch off from it, so that there is one
 * run of the program for each execution.  What waits for others (locks, awaits) comes in when it can go on.
 */
#include "await/await.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/program.h"
#include "explore/search.h"
#include "foresee/foresee.h"
#include "foresee/seen/spots.h"
#include "foresee/turns.h"
#include "foresee/vain.h"
#include "graphs/fold.h"
#include "graphs/graphs.h"
#include "graphs/growing.h"
#include "graphs/later.h"
#include "graphs/model.h"
#include "graphs/unordered/registers.h"
#include "race/race.h"
#include "wire/message.h"
#include "runtime.h"

#include <string.h>

static struct graph here; /* what is being run */
static int *executed;     /* which of its events were: the names of what they wrote, or 1; 0: not yet */
static unsigned executed_room;
static bool begun;

/* ---------------------------------------------------------------- what is left for later */

static bool is_wanted(struct graph *g, bool fits)
{
    return !search_is_over() && fold_keeps(g) && (fits || is_consistent(g)) && !newest_is_in_vain(g);
}

void offer(struct graph *g)
{
    if (is_wanted(g, false))
        leave_made(g);
}

void offer_probe(const struct graph *g) { leave_graph(g)->probe = true; }

void offer_taker(const struct graph *g) { leave_graph(g)->takes = true; }

/* ---------------------------------------------------------------- steps of the program */

static void note_step(struct search *s, int thread, int choice)
{
    struct trail *trail = &s->trail;
    GROW(trail->events, trail->event_room, trail->count + 1);
    trail->events[trail->count++] = (struct event){.thread = (uint8_t)thread, .choice = choice};
    s->transitions++;
    if (trail->count > s->depth)
        s->depth = trail->count;
}

/* Execute an event of the graph; false: the execution ends here. */
static bool step(struct search *s, event_number number)
{
    struct graph_event *event = &here.events[number];
    int thread = event->thread, choice = choice_of(&here, number, executed);
    thread_set before = event->kind == OP_CREATE ? living() : 0;
    note_epoch(thread);
    note_step(s, thread, choice);
    spots_step(thread, event->nth);
    uint32_t held = thread_of(thread)->held;
    const struct finding *f = program_step(thread, choice);
    executed[number] = event->writes ? name_of(&here, number, executed) : 1;
    search_tick(s);
    if (program_cut_off)
        search_cut_off(s);
    else if (f)
        search_report(s, f);
    if (f && s->all_errors)
        learn_incomplete("what other threads do behind a failure is not explored over execution graphs");
    if (f || s->over || program_learnt())
        return false;
    if (event->variable == NOBODY)
        note_known(event);
    event->took = thread_of(thread)->held > held;
    if (event->kind == OP_CREATE)
        event->born = newborn(before);
    return true;
}

/* ---------------------------------------------------------------- what was left is taken up */

/* An update whose read was taken back writes again. */
static bool settle_updates(struct graph *g)
{
    for (event_number e = 0; e < g->count; e++) {
        struct graph_event *event = &g->events[e];
        if (event->write_stamp != PENDING)
            continue;
        event->write_stamp = g->stamps++;
        revisit_by(g, e);
        graph_place(g, e, graph_place_of(g, event->source) + 1);
        if (!is_consistent(g))
            return false;
    }
    return true;
}

/* A read ended a failed round: it is none.  If it was taken back for that, it waits: for another chance, or for ever.
 */
static void round_failed(event_number number)
{
    static struct graph made;
    struct graph_event *event = &here.events[number];
    learnt |= here.probe; /* it was taken for one that goes on */
    if (await_passes(event->point, (uint64_t)event->seen)) /* SOUND: what was left out because of that is missing */
        learn_incomplete("a loop that waits did not do the same in the same situation");
    if (number != here.fresh)
        return;
    if (event->yields) {
        const struct graph_event *by = &here.events[event->source];
        graph_without(&made, &here, number);
        if (wait_behind(&made, event, graph_at(&made, by->thread, by->nth)))
            return;
    }
    if (event->source == graph_last_write(&here, event->variable)) {
        set_source(&here, number, event->source);
        if (fold_keeps(&here))
            leave_graph(&here);
    }
}

static void clear_run(struct search *s)
{
    program_restart();
    program_failed_round(); /* of an execution that was given up */
    spots_begin();
    s->trail.count = 0;
    forget_epochs();
    GROW(executed, executed_room, here.count + 1);
    memset(executed, 0, (size_t)here.count * sizeof *executed);
}

/* Other outcomes of an operation that is executed for the first time. */
static void offer_choices(event_number number)
{
    struct graph_event *event = &here.events[number];
    int choices = event->variable == NOBODY ? program_choices(event->thread) : 1;
    event_number fresh = here.fresh;
    here.fresh = NOBODY;
    for (int choice = choices - 1; choice > 0; choice--) {
        event->choice = choice;
        if (fold_keeps(&here))
            leave_graph(&here);
    }
    event->choice = 0;
    here.fresh = fresh;
}

/* Before something new: can it be executed, and how? */
static bool arrive(event_number number)
{
    const struct graph_event *event = &here.events[number];
    if (event->variable == NOBODY && !program_enabled(event->thread))
        return false;
    offer_choices(number);
    return true;
}

/* Does the program stand where the graph says? */
static bool is_pending(const struct graph_event *event)
{
    const struct operation *op = program_pending(event->thread);
    return op && op->kind == event->kind && (event->variable == NOBODY || op->span[0].space == MEMORY);
}

/* Run the program as far as the graph goes; false: it does not go on from there. */
static bool follow(struct search *s)
{
    const event_number *order;
    clear_run(s);
    if (!find_sequence(&here, &order)) {
        search_stop(s, INCOMPLETE_CRASH);
        return false;
    }
    for (int i = 0; i < here.count; i++) {
        event_number e = order[i];
        const struct graph_event *event = &here.events[e];
        if (event->stuck)
            continue;
        if (!is_pending(event)) {
            search_stop(s, INCOMPLETE_CRASH);
            return false;
        }
        if (e == here.fresh && !arrive(e)) {
            s->blocked++;
            return false;
        }
        if (!step(s, e))
            return false;
        foresee_step(event);
        if (program_failed_round()) {
            s->held++;
            round_failed(e);
            return false;
        }
        if (event->point)
            await_pass(event->point, (uint64_t)event->seen);
    }
    if (here.fresh != NOBODY && here.events[here.fresh].variable == NOBODY)
        growing_begin(&here); /* what happened before it is known only now */
    here.fresh = NOBODY;
    return !here.probe;
}

/* ---------------------------------------------------------------- going on */

/* What is being run, with its last event directly before the write that is at a place. */
static void offer_place(int32_t place)
{
    static struct graph made;
    enum fit fit = growing_fit(&here, place);
    bool writes = here.events[here.count - 1].writes;
    if (fit == FITS && !writes && is_wanted(&here, true))
        leave_graph(&here);
    if (fit == DOES_NOT_FIT || (fit == FITS && !writes))
        return;
    graph_copy(&made, &here);
    if (writes)
        graph_place(&made, here.count - 1, place);
    if (is_wanted(&made, fit == FITS))
        leave_made(&made);
}

/* What is left now has an event before the write that is at a place, or behind it, the other way round. */
static void comes_before(event_number event, int32_t place)
{
    event_number next = graph_write_at(&here, here.events[event].variable, place);
    later_because(&here.events[event], next == NOBODY ? NULL : &here.events[next]);
}

/* The last event of a graph, an access, with a source; if it writes, that comes in, too. */
static void offer_source(event_number source)
{
    event_number e = here.count - 1;
    struct graph_event *event = &here.events[e];
    if (is_known_to_fail(&here, e, source) && source != graph_last_write(&here, event->variable))
        return;
    int32_t place = graph_place_of(&here, source) + 1;
    set_source(&here, e, source);
    if (event->writes) {
        event->write_stamp = event->stamp;
        revisit_by(&here, e);
    }
    comes_before(e, place);
    offer_place(place);
}

/* Can the last event go on with its source? */
static bool goes_on(void)
{
    static struct graph made;
    event_number e = here.count - 1, source = here.events[e].source;
    enum fit fit = growing_fit(&here, graph_place_of(&here, source) + 1);
    if (fit != MAY_FIT)
        return fit == FITS;
    graph_copy(&made, &here);
    return admits(&made, e, source);
}

/* The source of the last event if nothing special is wanted: the newest write with which it can go on.  False: there is
 * none. */
static bool set_canonical(void)
{
    event_number e = here.count - 1, source = graph_last_write(&here, here.events[e].variable);
    set_source(&here, e, source);
    if (!here.events[e].point)
        return true;
    for (int32_t place = graph_place_of(&here, source); place >= 0; place--) {
        set_source(&here, e, graph_write_at(&here, here.events[e].variable, place));
        if (!here.events[e].stuck && goes_on())
            return true;
    }
    return false;
}

/* Go on with one that was left, the same but for the last event, instead of what is being run; false: there is none. */
static bool go_on_otherwise(unsigned since)
{
    for (unsigned i = graphs_left(); i > since; i--) {
        const struct graph *other = graph_left(i - 1);
        if (other->probe || other->takes || other->fresh != NOBODY || other->count != here.count ||
            other->events[other->count - 1].stuck)
            continue;
        take_up(&here, i - 1);
        growing_begin(&here);
        return true;
    }
    return false;
}

enum went { WAITS, WENT_ON, IS_OVER };

/* All that the last event could see. */
static int find_sources(const struct relations *relations, event_number **found)
{
    static event_number *sources;
    static unsigned room;
    int count = 0;
    for (event_number w = here.events[here.count - 1].earlier;; w = here.events[w].earlier) {
        if ((w == NOBODY || here.events[w].place) && !is_overwritten(&here, relations, w)) {
            GROW(sources, room, count + 1);
            sources[count++] = w;
        }
        if (w == NOBODY)
            break;
    }
    *found = sources;
    return count;
}

/* All but one of them. */
static void offer_sources(event_number canonical)
{
    event_number *sources;
    for (int left = find_sources(growing_relations(&here), &sources); left--;)
        if (sources[left] != canonical)
            offer_source(sources[left]);
}

/* A load or an update. */
static enum went add_read(void)
{
    event_number e = here.count - 1;
    int32_t variable = here.events[e].variable;
    unsigned before = graphs_left();
    if (is_counter(variable)) {
        count_additions(&here, e);
        return WENT_ON;
    }
    if (!set_canonical())
        return WAITS;
    struct graph_event canonical = here.events[e];
    offer_sources(canonical.source);
    here.events[e] = canonical;
    if (canonical.writes) {
        here.events[e].write_stamp = canonical.stamp;
        revisit_by(&here, e);
        graph_place(&here, e, graph_place_of(&here, canonical.source) + 1);
    } else if (is_in_vain(&here, e) && !go_on_otherwise(before)) {
        return IS_OVER;
    }
    return WENT_ON;
}

static void add_write(void)
{
    event_number e = here.count - 1;
    set_source(&here, e, NOBODY);
    revisit_by(&here, e);
    int32_t variable = here.events[e].variable, last = graph_place_of(&here, graph_last_write(&here, variable)) + 1;
    for (int32_t place = is_unordered(variable) ? last : 1; place < last; place++) {
        comes_before(e, place);
        offer_place(place);
    }
    graph_place(&here, e, last);
}

static void add_operation(void)
{
    struct graph_event *event = &here.events[here.count - 1];
    for (int i = 0; i < event->objects; i++) {
        here.count--;
        event->before[i] = graph_last_in_chain(&here, event->object[i]);
        here.count++;
    }
    offer_choices(here.count - 1);
}

/* The next event of a thread, after all others; what else it could be is left for later. */
static enum went extend(struct search *s, int thread)
{
    bool access = is_access(program_pending(thread), thread);
    later_because(NULL, NULL);
    unsigned before = graphs_left();
    if (!access)
        revisit_by_operation(&here, thread);
    struct graph_event *event = graph_add(&here, thread);
    describe_event(event, thread);
    if (access && !registers_meet(event))
        return IS_OVER;
    if (access)
        graph_meet(&here, here.count - 1);
    foresee_meet(event);
    GROW(executed, executed_room, here.count);
    executed[here.count - 1] = 0;
    event_number e = here.count - 1;
    enum went how = WENT_ON;
    if (access && only_writes(event))
        add_write();
    else if (access)
        how = add_read();
    else
        add_operation();
    here.count -= how == WAITS;
    s->blocked += how == IS_OVER;
    if (how != WENT_ON)
        return how;
    turns_forget(thread);
    if (!step(s, e))
        return IS_OVER;
    foresee_step(&here.events[e]);
    if (program_failed_round()) { /* as if it had not been tried */
        s->held++;
        graphs_drop(before);
        here.count--;
        event_number last = graph_last_of(&here, thread);
        if (last == NOBODY || !is_in_vain(&here, last))
            leave_graph(&here);
        return IS_OVER;
    }
    if (here.events[e].point)
        await_pass(here.events[e].point, (uint64_t)here.events[e].seen);
    if (s->symmetric && here.events[e].born != NOBODY)
        fold_look(s, &here);
    return WENT_ON;
}

static enum went extend_any(struct search *s)
{
    struct turns turns;
    turns.turn = NOT_IN_ROUND;
    turns.thread = turns.in_rounds = 0;
    enum went how = WAITS;
    for (int t; how == WAITS && (t = turns_next(&turns, &here)) != NOBODY;)
        how = extend(s, t);
    return how;
}

/* ---------------------------------------------------------------- the end of an execution */

/* An update waits at the end, for what another one has taken: it may have come first. */
static void take_over(int thread)
{
    describe_event(graph_add(&here, thread), thread);
    event_number e = here.count - 1;
    struct graph_event *event = &here.events[e];
    graph_meet(&here, e);
    for (event_number w = NOBODY; w < e; w++) {
        if (w != NOBODY && (here.events[w].variable != event->variable || !here.events[w].place))
            continue;
        set_source(&here, e, w);
        event->write_stamp = event->stamp;
        if (event->writes)
            revisit_by(&here, e);
    }
    here.count--;
    here.stamps--;
}

static void end(struct search *s)
{
    for (int t = 0; t < program_threads(); t++) {
        if (!program_pending(t) || growing_stuck() >> t & 1)
            continue;
        foresee_waiting(t);
        (is_access(program_pending(t), t) ? take_over(t) : revisit_by_operation(&here, t));
    }
    /* An await goes on if it can, also where its twin waits for ever: then an image shows the same. */
    if (search_count(s, is_final(&here) && fold_keeps(&here) && search_fail_rounds(s)) && s->symmetric)
        s->sum.total += fold_size(&here);
}

static void run(struct search *s)
{
    enum went how = follow(s) ? WENT_ON : IS_OVER;
    while (how == WENT_ON && !s->over) {
        if (s->max_depth >= 0 && s->trail.count >= s->max_depth) {
            s->incomplete = INCOMPLETE_DEPTH;
            return;
        }
        if (here.count >= MOST_EVENTS) { /* SOUND: clocks count no further */
            learn_incomplete("an execution has more steps than an execution graph can hold");
            return;
        }
        how = extend_any(s);
    }
    if (how == WAITS)
        end(s);
}

/* ---------------------------------------------------------------- all of it */

/* Is it known that what was taken back goes on?  Else it has to be tried, before anything follows from it. */
static bool is_settled(void)
{
    const struct graph_event *event = here.fresh == NOBODY ? NULL : &here.events[here.fresh];
    return !event || !event->point || event->stuck || await_passes(event->point, (uint64_t)event->seen);
}

static void begin(struct search *s)
{
    begun = true;
    learnt = false; /* why it begins again is known by now; what copies tell may set it before anything is run */
    later_open();
    here.count = here.mark_count = here.twin_count = here.stamps = 0;
    here.fresh = NOBODY;
    here.probe = here.takes = false;
    /* SOUND: what leaks may depend on which write is the last one. */
    bool may_wait = await_wanted && await_knows_loops();
    growing_open();
    foresee_open(may_wait && option_number("foresee", 1));
    registers_open(memory_model == MEMORY_SC && !program_options.leaks && option_number("registers", 1));
    leave_graph(&here);
    graph_jobs_begin(s);
}

/* A graph that was left, to the end of its execution. */
static void explore_here(struct search *s)
{
    const struct origin *because = &here.because;
    long long blocked = s->blocked;
    if (because->one)
        search_note_reversed(s, (struct place){because->one, because->does},
                             (struct place){because->other, because->other_does});
    if ((is_settled() || follow(s)) && settle_updates(&here))
        run(s);
    foresee_writes(&here, s->blocked > blocked);
    search_tick(s);
}

/* The graph that was left last. */
static void explore_next(struct search *s)
{
    take_up(&here, graphs_left() - 1);
    later_because(NULL, NULL);
    growing_begin(&here);
    if (here.takes) {
        here.events[here.count - 1].write_stamp = here.events[here.count - 1].stamp;
        revisit_by(&here, here.count - 1);
    } else if (here.probe || !newest_is_in_vain(&here)) { /* that was not known when it was left */
        explore_here(s);
    }
}

bool graphs_execution(struct search *s)
{
    if (!begun)
        begin(s);
    graph_jobs_give(s);
    graph_jobs_collect(s);
    if (graphs_left() && !s->over && !program_learnt())
        explore_next(s);
    /* SOUND: before the search ends; and where there are several processes, before one tells what rests on it. */
    bool at_end = !graphs_left() || s->jobs.team;
    bool again =
        program_learnt() | race_learnt() | registers_learnt() | foresees_anew(at_end) | program_knows_more(at_end);
    if (again && !s->over) {
        begun = false;
        search_start_again(s);
        return true;
    }
    /* SOUND: there is at least one; whatever kept us */
    if (!graphs_left() && !s->over && !s->executions && !s->jobs.own)
        learn_incomplete("no execution went to its end over execution graphs");
    return graphs_left() && !s->over;
}
