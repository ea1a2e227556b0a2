#include "foresee/turns.h"

#include "graphs/growing.h"

static bool can_move(int thread) { return !(growing_stuck() >> thread & 1) && program_enabled(thread); }

/* Of each thread: when it was last seen that it has to wait. */
static struct seen {
    unsigned run;
    int count; /* of events */
    enum turn turn;
} seen[MOST_THREADS];

void turns_forget(int thread) { seen[thread].run = 0; }

/* Has anything been written since? */
static bool is_as_before(const struct seen *before, const struct graph *g)
{
    for (event_number e = before->count; e < g->count; e++)
        if (g->events[e].place)
            return false;
    return before->run == growing_run(g);
}

static enum turn turn_of(struct graph *g, int thread)
{
    struct seen *before = &seen[thread];
    if (!is_as_before(before, g))
        *before = (struct seen){growing_run(g), g->count, turn_in_round(g, thread)};
    if (before->turn < MAY_WAIT)
        turns_forget(thread);
    return before->turn;
}

/* Is it the turn of this thread?  What its turn is, is found out when it is first asked. */
static bool has_turn(struct turns *turns, struct graph *g, int thread)
{
    enum turn *turn = &turns->of[thread];
    if (turns->turn == NOT_IN_ROUND) {
        *turn = !can_move(thread) ? NO_TURN : is_in_round(thread) ? LEAVES_AND_WRITES : NOT_IN_ROUND;
        turns->in_rounds += *turn == LEAVES_AND_WRITES;
    } else if (turns->turn == LEAVES_AND_WRITES && *turn == LEAVES_AND_WRITES && turns->in_rounds > 1) {
        *turn = turn_of(g, thread);
    }
    return *turn == turns->turn;
}

int turns_next(struct turns *turns, struct graph *g)
{
    for (; turns->turn <= AWAITS; turns->turn++, turns->thread = 0)
        while (turns->thread < program_threads())
            if (has_turn(turns, g, turns->thread++))
                return turns->thread - 1;
    return NOBODY;
}
