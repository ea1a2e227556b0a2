/* Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR).
 * Differs: as ../../../dpor.py says.  The program goes forward only: to go back it is started again, so one call
 * explores from the initial state to one end.
 */
#include "explore/explore.h"

#include "symmetry/alike.h"
#include "explore/arena.h"
#include "await/await.h"
#include "wire/message.h"
#include "wire/outcomes.h"
#include "explore/program.h"
#include "race/race.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* ---------------------------------------------------------------- what was asked */

struct search *search_new(void)
{
    actions_open();
    deeds_open();
    alike_open();
    wakeup_open();
    outcomes_open();
    struct search *s = arena_take(sizeof *s);
    await_wanted = option_number("awaits", 1) != 0;
    s->symmetric = option("symmetry");
    s->all_errors = option("all_errors");
    s->deadlock = option_number("deadlock", 1) != 0;
    s->stops_at_weak = option("stops_at_weak");
    s->stops_at_blocked = option("stops_at_blocked");
    s->stops_at_unread = option("stops_at_unread");
    s->tries = option("tries");
    s->max_depth = option_number("max_depth", -1);
    s->max_executions = option_number("max_executions", -1);
    s->max_preemptions = option_number("max_preemptions", -1);
    s->max_time = option_real("max_time", -1);
    s->interval = option_real("progress", -1);
    s->jobs.base = -1;
    s->started = s->reported = seconds_now();
    s->first_cycle = cycles_now();
    return s;
}

void search_stop(struct search *s, const char *why)
{
    s->over = true;
    if (why)
        s->incomplete = why;
}

/* ---------------------------------------------------------------- findings, limits */

void search_report(struct search *s, const struct finding *f)
{
    tell_finding(s, f);
    if (!s->all_errors)
        search_stop(s, NULL);
}

static bool is_late(const struct search *s, double now) { return s->max_time >= 0 && now - s->started > s->max_time; }

void search_tick(struct search *s)
{
    if (interrupted)
        search_stop(s, INCOMPLETE_INTERRUPTED);
    else if (jobs_are_over(s))
        search_stop(s, NULL);
    if (!clock_moved())
        return;
    double now = seconds_now();
    if (is_late(s, now))
        search_stop(s, INCOMPLETE_TIME);
    if (s->interval >= 0 && now - s->reported > s->interval) {
        s->reported = now;
        message_begin(MESSAGE_PROGRESS);
        tell_counts(s, now);
        message_end();
    }
}

bool search_count(struct search *s, bool over)
{
    const struct finding *f = over ? program_stuck() : NULL;
    bool counts = !program_learnt(); /* else the search starts again */
    s->executions += over && counts;
    s->blocked += !over && counts;
    if (over && counts)
        outcomes_count();
    if (f && (s->deadlock || strcmp(f->kind, "deadlock")))
        search_report(s, f);
    s->failed_count = 0;
    search_tick(s);
    jobs_tell(s);
    jobs_limit(s);
    search_reconsider(s, over && counts);
    return over && counts;
}

void search_cut_off(struct search *s) { search_stop(s, interrupted ? INCOMPLETE_INTERRUPTED : INCOMPLETE_TIME); }

static int preempts(const struct search *s, const struct node *node, int thread)
{
    int depth = s->height - 1, last = depth ? s->trail.events[depth - 1].thread : thread;
    return last != thread && (node->enabled & only(last));
}

static bool allowed(const struct search *s, const struct node *node, int thread)
{
    return s->max_preemptions < 0 || node->preemptions + preempts(s, node, thread) <= s->max_preemptions;
}

/* ---------------------------------------------------------------- nodes */

static struct node *fresh(struct search *s)
{
    GROW(s->stack, s->stack_room, s->height + 1);
    struct node *node = s->stack[s->height];
    if (!node)
        node = s->stack[s->height] = arena_take(sizeof *node);
    node->number = ++s->nodes;
    node->pending = node->enabled = node->sleep = 0;
    wanted_clear(&node->todo);
    node->choice = node->choices = node->explored = node->preemptions = 0;
    node->thread = node->analysed_thread = -1;
    node->cut = node->covered = false;
    node->gift = NULL;
    return node;
}

/* What is pending in the program's state now; `before` is what was pending one step before, or NULL. */
static void look(struct search *s, struct node *node, const struct node *before)
{
    struct operation room;
    int threads = program_threads();
    if (threads > s->trail.threads)
        s->trail.threads = threads;
    for (int t = 0; t < threads; t++) {
        const struct operation *op = lasting_operation(program_pending(t), &room);
        if (!op)
            continue;
        node->pending |= only(t);
        bool lived = before && (before->pending & only(t));
        bool same = lived && same_operation(&action(before->action[t])->op, op);
        node->action[t] = same ? before->action[t] : action_number(t, op);
        node->await[t] = program_await(t);
        if (!lived) /* born: it knows what its parent does */
            s->trail.birth[t] = s->trail.count - 1;
        if (program_enabled(t))
            node->enabled |= only(t);
    }
}

enum { PAST = INT32_MAX }; /* the program has to be started again */

bool search_fail_rounds(struct search *s)
{
    thread_set held = program_held();
    s->failed_count = 0;
    if (!held)
        return true;
    s->at = PAST;
    FOR_EACH (t, held)
        for (int steps = program_round_steps((int)t); steps; steps--) {
            s->failed[s->failed_count++] = (uint8_t)t;
            program_fail_round((int)t);
        }
    return !program_would_go_on();
}

static void complete(struct search *s, struct node *node)
{
    if (search_count(s, search_fail_rounds(s)) && s->symmetric)
        orbit_sum_add(s);
    search_reverse(s, node);
}

/* Who is tried first.  The thread that moved last goes on, if it can: executions with few switches come first.  But
 * when one thread has begun, so do the others: alike threads are known as such where each of them has come as far. */
static int first_choice(struct search *s, const struct node *node)
{
    thread_set free = 0, starts = 0;
    FOR_EACH (t, node->enabled & ~node->sleep)
        if (allowed(s, node, (int)t)) {
            free |= only(t);
            starts |= action(node->action[t])->op.kind == OP_START ? only(t) : 0;
        }
    const struct event *last = s->trail.count ? &s->trail.events[s->trail.count - 1] : NULL;
    bool begun = s->symmetric && last && action(last->action)->op.kind == OP_START;
    if (begun && starts)
        free = starts;
    else if (!begun && last && (free & only(last->thread)))
        return last->thread;
    return free ? __builtin_ctzl(free) : -1;
}

static void begin(struct search *s, struct node *node)
{
    if (s->symmetric && s->height == 1)
        orbit_born(s, node);
    if (s->height > 1)
        search_follow(s, node);
    int first = node->todo.count ? -1 : first_choice(s, node);
    if (first >= 0)
        wanted_add(&node->todo, first, (struct doubt){0});
}

/* Nothing that follows needs to be explored. */
static void give_up(struct search *s, struct node *node)
{
    s->blocked++;
    search_reverse(s, node);
    search_wonder(s);
}

/* The node on top of the stack is new. */
static void open(struct search *s, struct node *node)
{
    s->height++;
    if (s->trail.count > s->depth)
        s->depth = s->trail.count;
    if (node->covered) {
        give_up(s, node);
    } else if (!node->enabled) {
        complete(s, node);
    } else if (s->max_depth >= 0 && s->trail.count >= s->max_depth) {
        s->incomplete = INCOMPLETE_DEPTH;
        node->cut = true;
        search_reverse(s, node);
    } else {
        begin(s, node);
    }
    if (s->transitions % 256 == 0)
        search_tick(s);
}

/* What of the sleep set stays asleep after an action. */
static thread_set still_asleep(const struct node *node, uint32_t number)
{
    const struct operation *op = &action(number)->op;
    thread_set asleep = 0;
    FOR_EACH (t, node->sleep & ~only(node->thread))
        if (!dependent(&action(node->action[t])->op, op))
            asleep |= only((int)t);
    return asleep;
}

/* SOUND: a step that was cut off in the middle is no step of an execution. */
static const struct finding *step(struct search *s, int thread, int choice)
{
    const struct finding *f = program_step(thread, choice);
    if (program_cut_off)
        search_cut_off(s);
    return f;
}

/* The step ended a failed round: the thread cannot go on here.  If it was the first to try, the state is looked at
 * again. */
static void hold_back(struct search *s, struct node *node)
{
    s->at = PAST;
    s->held++;
    node->enabled &= ~only(node->thread);
    node->choice = node->choices = 0;
    if (node->explored || node->todo.count) {
        search_do_without(s, node);
        return;
    }
    if (s->height == 1) {
        s->begun = false;
    } else {
        trail_pop(&s->trail);
        s->stack[s->height - 2]->choice--;
    }
    if (s->symmetric)
        orbit_clear(node);
    s->height--;
}

/* One step further, with the next choice of the thread that is being explored. */
static void advance(struct search *s, struct node *node)
{
    int thread = node->thread, choice = node->choice++;
    const struct operation *op = program_pending(thread);
    const void *pc = op ? op->pc : NULL;
    const struct finding *f = step(s, thread, choice);
    if (program_cut_off)
        return;
    if (program_failed_round()) {
        hold_back(s, node);
        return;
    }
    trail_push(&s->trail, thread, choice, node->action[thread], node->await[thread], program_seen(), pc);
    s->at++;
    s->transitions++;
    struct node *child = fresh(s);
    if (f)
        search_report(s, f);
    if (s->over)
        return;
    look(s, child, node);
    child->preemptions = node->preemptions + preempts(s, node, thread);
    child->sleep = still_asleep(node, node->action[thread]);
    if (s->symmetric)
        orbit_child(s, node, child);
    open(s, child);
}

/* An outcome of the thread that is being explored is done; with the last one, the thread is. */
static void outcome_done(struct search *s, struct node *node)
{
    if (node->choice < node->choices)
        return;
    node->explored++;
    if (s->symmetric)
        orbit_done(node, node->thread);
    node->sleep |= only(node->thread);
    if (node->gift)
        jobs_publish(s, node);
}

static void leave(struct search *s, struct node *node)
{
    if (node->thread < 0 && !node->explored && node->enabled && !node->cut && !node->covered)
        give_up(s, node);
    s->height--;
    if (s->height) {
        struct node *parent = top(s);
        trail_pop(&s->trail);
        if (s->symmetric)
            orbit_closed(s, parent, node);
        outcome_done(s, parent);
    }
    if (s->symmetric)
        orbit_clear(node);
}

/* ---------------------------------------------------------------- the loop */

/* Bring the program forward to the node on top of the stack; false: it is further on. */
static bool go_to_top(struct search *s)
{
    if (s->at > s->height - 1)
        return false;
    for (; s->at < s->height - 1 && !s->over; s->at++)
        step(s, s->trail.events[s->at].thread, s->trail.events[s->at].choice);
    return true;
}

static int next_todo(struct search *s, struct node *node)
{
    for (; node->todo.count; wanted_take(&node->todo)) {
        int thread = node->todo.list[0];
        bool needed = node->gift || wanted_is_needed(&node->todo, thread);
        if (!(node->sleep & only(thread)) && allowed(s, node, thread) && needed)
            return thread;
    }
    return -1;
}

static void select_thread(struct search *s, struct node *node, int thread)
{
    wanted_take(&node->todo);
    if (s->symmetric && !search_asks_in_vain(s) && orbit_skips(s, node, thread))
        return;
    node->thread = thread;
    node->choice = 0;
    node->choices = program_choices(thread);
    node->begun = cycles_now();
    node->executions = s->executions;
}

void search_go_back(struct search *s, int depth)
{
    while (s->height - 1 > depth) {
        trail_pop(&s->trail);
        if (s->symmetric)
            orbit_clear(top(s));
        s->height--;
    }
}

/* A round failed for the first time.  SOUND: who is explored only for the sake of it would not be if that had been
 * known, and has shown nothing so far that counts. */
static void give_up_vain(struct search *s)
{
    s->lessons = await_lessons();
    int depth = s->height - 1;
    while (depth > 0 && depth > s->jobs.base && !s->stack[depth - 1]->gift)
        depth--;
    for (; depth < s->height - 1; depth++) {
        struct node *node = s->stack[depth];
        if (node->executions != s->executions || wanted_is_needed(&node->todo, node->thread))
            continue;
        search_go_back(s, depth);
        if (s->symmetric)
            orbit_abandon(node);
        node->thread = -1;
        node->choice = node->choices = 0;
        s->at = PAST;
    }
}

void search_start_again(struct search *s)
{
    jobs_start_again(s);
    for (; s->height; s->height--)
        if (s->symmetric)
            orbit_clear(top(s));
    s->begun = false;
    alike_lost(s->executions + s->blocked);
    s->executions = s->blocked = s->transitions = s->depth = s->held = 0;
    s->reversed_count = s->symmetry.apart_count = 0;
    s->sum = (struct orbit_sum){0};
    s->incomplete = NULL;
    outcomes_forget();
    s->rounds++;
}

static void begin_search(struct search *s)
{
    s->begun = true;
    s->exact = !s->symmetric && s->max_preemptions < 0;
    trail_clear(&s->trail);
    actions_reset();
    struct node *root = fresh(s);
    look(s, root, NULL);
    open(s, root);
}

static bool pass(struct search *s)
{
    program_restart();
    s->at = 0;
    if (!s->begun)
        begin_search(s);
    while (s->height && !s->over) {
        if (s->lessons != await_lessons())
            give_up_vain(s);
        struct node *node = top(s);
        bool more = node->choice < node->choices;
        int thread = more ? -1 : next_todo(s, node);
        if (!more && thread < 0 && s->height - 1 == s->jobs.base)
            return false; /* this copy is done */
        if (!more && thread < 0)
            leave(s, node);
        else if (!more && node->gift && jobs_collect(s, node))
            continue;
        else if (!go_to_top(s))
            return true;
        else if (s->over)
            break;
        else if (more && s->symmetric && node->choice && orbit_skips_choice(s, node)) {
            node->choice++;
            outcome_done(s, node);
        } else if (more)
            advance(s, node);
        else
            select_thread(s, node, thread);
    }
    return false;
}

bool explore_execution(struct search *s)
{
    jobs_give(s);
    bool more = pass(s);
    bool learnt = program_learnt() | race_learnt() | program_knows_more(!more) | s->again;
    s->again = false;
    if (s->over || !learnt)
        return more && !s->over;
    search_start_again(s);
    return true;
}

/* ---------------------------------------------------------------- the whole */

void search_result(struct search *s)
{
    /* SOUND: backtracking is computed from what was seen; under a bound on preemptions something was not. */
    bool bounded = s->max_preemptions >= 0 && !s->over && !s->incomplete;
    tell_result(s, bounded ? INCOMPLETE_PREEMPTIONS : s->incomplete);
}

void search_broken(struct search *s, const char *why) { tell_result(s, why); }

static struct search *current;

bool search_is_over(void)
{
    search_tick(current);
    return current->over;
}

bool explore_is_over(void) { return current && (interrupted || is_late(current, seconds_now())); }

static void no_memory(void)
{
    if (current)
        search_broken(current, INCOMPLETE_MEMORY);
}

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static struct search *prepare(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGTERM, &action, NULL);
    current = search_new();
    alike_watch_main(current->symmetric);
    arena_full = no_memory;
    return current;
}

static void finish(struct search *s)
{
    jobs_end(s, true);
    if (jobs_are_over(s) && !s->jobs.findings && !s->incomplete)
        s->incomplete = INCOMPLETE_LOST;
    if (s->symmetry.successes && !s->jobs.findings && !explore_is_over())
        program_families();
    program_close(); /* who hears the result need not wait for more */
    tell_knowledge(s);
    search_result(s);
}

void explore_by(bool (*execution)(struct search *))
{
    struct search *s = prepare();
    jobs_open(s, (int)option_number("workers", 1));
    while (execution(s))
        if (program_needs_fork())
            search_stop(s, INCOMPLETE_FORK);
        else if (s->stops_at_weak && program_is_weak())
            search_stop(s, INCOMPLETE_WEAK);
    finish(s);
}

void explore(void) { explore_by(explore_execution); }

/* One execution in a child; false: it ended before it could say how it went. */
static bool explore_in_child(struct search *s)
{
    s->child_ended = false;
    long child = syscall(SYS_fork);
    if (child < 0)
        return false;
    if (child == 0) {
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
        s->child_more = explore_execution(s);
        s->child_ended = true;
        syscall(SYS_exit_group, 0);
    }
    while (syscall(SYS_wait4, child, NULL, 0, NULL) < 0)
        if (interrupted)
            search_stop(s, INCOMPLETE_INTERRUPTED);
    return s->child_ended;
}

void explore_forked(void)
{
    struct search *s = prepare();
    race_reset();
    do {
        if (!explore_in_child(s))
            search_stop(s, INCOMPLETE_CRASH); /* what it left of the search cannot be trusted */
        if (interrupted)
            search_stop(s, INCOMPLETE_INTERRUPTED);
    } while (s->child_more && !s->over);
    finish(s);
}
