#include "graphs/turns.h"

#include "graphs/graphs.h"

bool is_stuck(const struct graph *g, int thread)
{
    event_number last = graph_last_of(g, thread);
    return last != NOBODY && g->events[last].thread == thread && g->events[last].stuck;
}

static bool can_move(const struct graph *g, int thread) { return program_enabled(thread) && !is_stuck(g, thread); }

/* Is it the turn of this thread?  What its turn is, is found out when it is first asked. */
static bool has_turn(struct turns *turns, struct graph *g, int thread)
{
    enum turn *turn = &turns->of[thread];
    if (turns->turn == NOT_IN_ROUND) {
        *turn = !can_move(g, thread) ? NO_TURN : is_in_round(thread) ? LEAVES_AND_WRITES : NOT_IN_ROUND;
        turns->in_rounds += *turn == LEAVES_AND_WRITES;
    } else if (turns->turn == LEAVES_AND_WRITES && *turn == LEAVES_AND_WRITES && turns->in_rounds > 1) {
        *turn = turn_in_round(g, thread);
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
