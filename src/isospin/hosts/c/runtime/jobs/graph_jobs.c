/* Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt: graphs that are left for later need
 * nothing of each other, so they can be explored at the same time).
 * Differs: a copy explores what lies at the bottom of the stack, and is listened to when its turn comes.  So everything
 * is counted and told in the order of one process, and what a copy learns is learnt where one process learns it.
 */
#include "explore/arena.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"
#include "foresee/foresee.h"
#include "graphs/graphs.h"
#include "graphs/later.h"
#include "jobs/team.h"

static struct given {
    struct gift *gift;
    unsigned to; /* the graphs below this height, and above what was given before */
} *given; /* from the bottom on, without gaps */
static unsigned given_count, given_room;
static uint64_t since; /* cycles: the last time that something was given */

static unsigned floor_of(unsigned count) { return count ? given[count - 1].to : 0; }

void graph_jobs_begin(struct search *s)
{
    s->jobs.in_order = true;
    given_count = 0;
    since = cycles_now();
}

/* ---------------------------------------------------------------- in a copy */

static _Noreturn void be_copy(struct search *s, struct gift *gift, unsigned from, unsigned to)
{
    struct foresight since = foresight_so_far();
    team_begin(s, gift);
    graph_jobs_begin(s);
    graphs_only(from, to);
    while (graphs_execution(s) && team_is_believed(s))
        ;
    bool believed = team_is_believed(s);
    jobs_end(s, believed);
    if (believed && foresight_tell(&since, gift->page->room, PAGE_ROOM / 2) && team_answer(s))
        team_write(s, &gift->page->answered, WRITTEN);
    team_leave(s);
}

/* ---------------------------------------------------------------- giving away */

/* Something was found behind which one process would not look. */
static void dismiss_later(void)
{
    unsigned i = given_count;
    while (i && !(is_written(&given[i - 1].gift->page->answered) && given[i - 1].gift->page->answer.stopped))
        i--;
    while (i-- > 1)
        team_dismiss(given[i - 1].gift);
}

/* The older half of what is left: graphs that were left early have more behind them. */
void graph_jobs_give(struct search *s)
{
    if (!team_has_room(s) || !foresight_can_be_shared())
        return;
    unsigned from = floor_of(given_count), left = graphs_left() - from;
    dismiss_later();
    if (left < 2 || cycles_now() - since < s->jobs.grain)
        return;
    unsigned to = from + left / 2;
    GROW(given, given_room, given_count + 1);
    struct gift *gift = team_copy(s, (struct gift){0});
    if (!gift)
        return;
    if (!gift->process)
        be_copy(s, gift, from, to);
    given[given_count++] = (struct given){gift, to};
    since = cycles_now();
}

/* ---------------------------------------------------------------- taking back */

/* False: it is not known what came of the last gift, or we have to explore it ourselves. */
static bool collect(struct search *s)
{
    struct gift *gift = given[given_count - 1].gift;
    if (!team_wait(s, gift, NULL))
        return false;
    bool believed = is_written(&gift->page->answered) && foresight_hear(gift->page->room);
    given_count--;
    team_count(s, believed);
    if (believed) {
        team_add(s, gift->page);
        graphs_drop(floor_of(given_count));
        if (gift->page->answer.stopped)
            search_stop(s, NULL);
    }
    team_forget(s, gift);
    search_tick(s);
    jobs_limit(s); /* a copy is not limited, and may have ended before we looked */
    return believed;
}

void graph_jobs_collect(struct search *s)
{
    while (given_count && graphs_left() == given[given_count - 1].to && !s->over)
        if (!collect(s) || program_learnt())
            return;
}
