/* What the search says on its way: findings, each once, races that are no violations, and how far it is. */
#include "explore/arena.h"
#include "explore/program.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"
#include "pthread/orders.h"
#include "wire/message.h"
#include "wire/outcomes.h"

#include <string.h>

/* A race is the same whoever comes first; otherwise the text counts, too. */
static bool is_same(const struct finding *a, const struct finding *b)
{
    if (strcmp(a->kind, b->kind))
        return false;
    if (!strcmp(a->kind, "race"))
        return (a->pc == b->pc && a->other_pc == b->other_pc) || (a->pc == b->other_pc && a->other_pc == b->pc);
    return a->pc == b->pc && !strcmp(a->message, b->message);
}

static bool is_known(const struct search *s, const struct finding *f)
{
    for (const struct known_finding *k = s->findings; k; k = k->next)
        if (is_same(&k->finding, f))
            return true;
    return false;
}

static void tell(const struct search *s, const struct finding *f)
{
    message_begin(MESSAGE_FINDING);
    message_finding(f);
    message_list("steps");
    for (int i = 0; i < s->trail.count; i++) {
        message_item(s->trail.events[i].thread);
        message_item(s->trail.events[i].choice);
    }
    for (int i = 0; i < s->failed_count; i++) {
        message_item(s->failed[i]);
        message_item(0);
    }
    message_list_end();
    program_learnt_message();
    message_end();
}

/* Races that are no violations. */
static void tell_notes(void)
{
    for (int i = 0; i < program_notes(); i++) {
        message_begin(MESSAGE_NOTE);
        message_finding(program_note(i));
        message_end();
    }
}

static bool is_same_place(struct place a, struct place b) { return a.pc == b.pc && a.kind == b.kind; }

void search_note_reversed(struct search *s, struct place here, struct place there)
{
    int i = 0;
    if (here.pc > there.pc) {
        struct place other = here;
        here = there;
        there = other;
    }
    while (i < s->reversed_count &&
           !(is_same_place(s->reversed[i].here, here) && is_same_place(s->reversed[i].there, there)))
        i++;
    if (i == MOST_REVERSED)
        return;
    if (i == s->reversed_count)
        s->reversed[s->reversed_count++] = (struct reversed){.here = here, .there = there};
    s->reversed[i].times++;
}

void tell_reversed(const struct search *s)
{
    for (int i = 0; i < s->reversed_count; i++) {
        message_begin(MESSAGE_REVERSED);
        message_number("pc", (long long)(uintptr_t)s->reversed[i].here.pc);
        message_number("does", s->reversed[i].here.kind);
        message_number("other_pc", (long long)(uintptr_t)s->reversed[i].there.pc);
        message_number("other_does", s->reversed[i].there.kind);
        message_number("times", s->reversed[i].times);
        message_end();
    }
}

void tell_knowledge(const struct search *s)
{
    tell_notes();
    program_weak_messages();
    program_stranger_messages();
    program_visit_messages();
    outcomes_tell();
    tell_reversed(s);
    orders_tell();
}

void tell_finding(struct search *s, const struct finding *f)
{
    if (is_known(s, f))
        return;
    struct known_finding *new = arena_take(sizeof *new);
    new->finding = *f;
    new->next = s->findings;
    s->findings = new;
    s->jobs.findings++;
    tell(s, f);
}

/* What kept threads from taking each other's place. */
static void tell_apart(const struct search *s)
{
    for (int i = 0; i < s->symmetry.apart_count; i++) {
        message_begin(MESSAGE_APART);
        message_text("why", s->symmetry.apart[i].why);
        message_number("pc", (long long)(uintptr_t)s->symmetry.apart[i].pc);
        message_number("times", s->symmetry.apart[i].times);
        message_end();
    }
}

/* How many executions there may be: those seen, divided by the part of the tree that was seen, if at each node all
 * subtrees were alike (Knuth 1975). */
static double estimate(const struct search *s)
{
    double seen = 0, share = 1;
    for (int i = 0; i < s->height; i++) {
        const struct node *node = s->stack[i];
        int branches = node->explored + node->todo.count + (node->thread >= 0);
        if (branches) {
            seen += share * node->explored / branches;
            share /= branches;
        }
    }
    return s->executions ? (double)s->executions / (seen + share) : 1.0;
}

void tell_counts(const struct search *s, double now)
{
    struct counts counts = jobs_counts(s);
    message_number("executions", counts.executions);
    message_number("blocked", counts.blocked);
    message_number("transitions", counts.transitions);
    message_number("depth", s->depth);
    message_real("estimate", s->height ? estimate(s) : (double)s->executions);
    message_real("seconds", now - s->started);
}

void tell_result(const struct search *s, const char *why)
{
    double now = seconds_now();
    tell_apart(s);
    message_begin(MESSAGE_RESULT);
    tell_counts(s, now);
    message_text("incomplete", why ? why : INCOMPLETE_NOTHING);
    message_text("reason", program_incomplete() ? program_incomplete() : "");
    message_number("reason_pc", (long long)(uintptr_t)program_incomplete_at());
    message_text("needs_fork", program_needs_fork() ? program_needs_fork() : "");
    message_number("rounds", s->rounds + 1);
    message_number("orbit_sum", s->sum.total);
    message_number("copies_taken", s->jobs.taken);
    message_number("copies_refused", s->jobs.refused);
    message_number("held", s->held);
    message_number("symmetry_checks", s->symmetry.checks);
    message_number("symmetry_successes", s->symmetry.successes);
    message_number("symmetry_skipped", s->symmetry.skipped);
    message_number("symmetry_covered", s->symmetry.covered);
    uint64_t cycles = cycles_now() - s->first_cycle;
    message_real("symmetry_seconds", (double)s->symmetry.cycles / (double)cycles * (now - s->started));
    message_end();
}
