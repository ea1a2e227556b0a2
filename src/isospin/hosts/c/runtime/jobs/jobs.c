/* Reference: Yang, Chen, Gopalakrishnan, Kirby, SPIN 2007; Simsa, Bryant, Gibson, Hickey, RV 2012.
 * Differs: as ../../../engines/stateless/jobs.py says: the tree is exactly the one of a single process.
 */
#include "jobs/jobs.h"

#include "await/await.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"
#include "jobs/team.h"

#include <string.h>

enum { MARK = 255 /* a kind of no operation */ };

struct told_deed {
    struct operation op;
    unsigned nth;
    uint8_t thread;
};

/* ---------------------------------------------------------------- sets of deeds that others read */

static unsigned put_seen(const struct seen *set, struct told_deed *list, size_t most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < set->words; i++)
        for (uint64_t rest = set->bits[i]; rest; rest &= rest - 1) {
            if ((count + 1) * sizeof *list > most)
                return ~0u;
            struct deed each = deed(i * 64 + (unsigned)__builtin_ctzl(rest));
            const struct action *a = action(each.action);
            list[count++] = (struct told_deed){a->op, each.nth, a->thread};
        }
    return count;
}

static void get_seen(struct seen *set, const struct told_deed *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        seen_add(set, deed_number(action_number(list[i].thread, &list[i].op), list[i].nth));
}

static uint32_t mark_deed(unsigned mark)
{
    struct operation op = {.kind = MARK, .waits = (uint8_t)mark};
    return deed_number(action_number((int)(mark >> 8), &op), 0);
}

void jobs_publish(struct search *s, struct node *node)
{
    struct page *page = node->gift->page;
    if (!s->symmetric)
        return;
    page->seen = put_seen(&node->orbit.asleep[node->thread], (struct told_deed *)page->room, PAGE_ROOM / 2);
    team_write(s, &page->earlier, page->seen == ~0u ? NOT_TO_BE_WRITTEN : WRITTEN);
}

static _Noreturn void leave_copy(struct search *s);

struct seen jobs_resolved(struct search *s, const struct seen *set)
{
    struct seen whole = {0};
    seen_join(&whole, set);
    for (bool found = s->jobs.own; found;) {
        found = false;
        for (unsigned m = 0; m < s->jobs.marks; m++) {
            if (!s->jobs.unseen[m] || !seen_has(&whole, mark_deed(m)))
                continue;
            struct page *page = s->jobs.unseen[m];
            found = true;
            if (!team_wait(s, NULL, &page->earlier))
                leave_copy(s);
            if (page->earlier != WRITTEN)
                jobs_disown(s);
            seen_remove(&whole, mark_deed(m));
            get_seen(&whole, (const struct told_deed *)page->room, page->seen);
        }
    }
    return whole;
}

/* ---------------------------------------------------------------- wishes */

bool jobs_is_wished(const struct search *s, const struct wish *wish)
{
    const struct jobs *jobs = &s->jobs;
    if ((unsigned)wish->depth >= jobs->newest_room)
        return false;
    for (int i = jobs->newest[wish->depth]; i; i = jobs->wishes[i - 1].next) {
        const struct wish *w = &jobs->wishes[i - 1];
        if (w->first == wish->first && w->thread == wish->thread && w->earliest == wish->earliest &&
            w->back == wish->back && w->doubt.await == wish->doubt.await && w->doubt.value == wish->doubt.value)
            return true;
    }
    return false;
}

void jobs_wish(struct search *s, const struct wish *wish)
{
    struct jobs *jobs = &s->jobs;
    if (jobs_is_wished(s, wish))
        return;
    GROW(jobs->newest, jobs->newest_room, wish->depth + 1);
    GROW(jobs->wishes, jobs->wish_room, jobs->wish_count + 1);
    jobs->wishes[jobs->wish_count] = *wish;
    jobs->wishes[jobs->wish_count].next = jobs->newest[wish->depth];
    jobs->newest[wish->depth] = (int)++jobs->wish_count;
}

/* ---------------------------------------------------------------- in a copy */

static void begin_part(struct search *s, struct gift *gift)
{
    struct jobs *jobs = &s->jobs;
    team_begin(s, gift);
    jobs->wish_count = 0;
    jobs->points = await_points();
    for (unsigned i = 0; i < jobs->newest_room; i++)
        jobs->newest[i] = 0;
    GROW(jobs->unseen, jobs->mark_room, gift->mark + 1);
    jobs->unseen[gift->mark] = gift->page;
}

/* The thread before it sleeps; what is above stays as it is, to tell what is explored there anyway. */
static void cut_stack(struct search *s, int depth, struct gift *gift)
{
    for (int i = 0; i < s->height; i++)
        s->stack[i]->gift = NULL;
    search_go_back(s, depth);
    struct node *node = s->stack[depth];
    if (s->symmetric)
        orbit_sleep(node, gift->after, mark_deed(gift->mark));
    node->sleep |= only(gift->after);
    node->explored++; /* by then */
    node->thread = -1;
    node->choice = node->choices = 0;
    wanted_keep_first(&node->todo);
    s->jobs.base = depth;
}

/* Those that are still wishes. */
static unsigned put_wishes(const struct jobs *jobs, struct wish *list)
{
    unsigned count = 0;
    for (unsigned i = 0; i < jobs->wish_count; i++) {
        struct wish wish = jobs->wishes[i];
        int how;
        if (wish.doubt.await && await_fails(wish.doubt.await, wish.doubt.value, &how))
            continue;
        if (wish.doubt.await > jobs->points) /* SOUND: another process has another number for it, or none */
            wish.doubt = (struct doubt){0};
        list[count++] = wish;
    }
    return count;
}

static void put_answer(struct search *s, struct gift *gift)
{
    struct page *page = gift->page;
    struct answer *a = &page->answer;
    char *room = page->room + PAGE_ROOM / 2, *end = page->room + PAGE_ROOM;
    const struct node *node = s->stack[s->jobs.base];
    if (!s->over && !(node->sleep & only(gift->thread)))
        return; /* it was not explored: whoever made us will see why */
    if (s->jobs.wish_count > PAGE_ROOM / 8 / sizeof(struct wish) || !team_answer(s))
        return;
    a->wishes = put_wishes(&s->jobs, (struct wish *)room);
    if (s->symmetric && !s->over)
        a->seen = put_seen(&node->orbit.asleep[gift->thread], (struct told_deed *)(room + PAGE_ROOM / 4),
                           (size_t)(end - (room + PAGE_ROOM / 4)));
    if (a->seen != ~0u)
        team_write(s, &page->answered, WRITTEN);
    if (a->findings && !s->all_errors)
        team_stop(s);
}

/* Say what came of it, if that can be believed. */
static _Noreturn void leave_copy(struct search *s)
{
    bool believed = team_is_believed(s);
    jobs_end(s, believed);
    if (believed)
        put_answer(s, s->jobs.gift);
    team_leave(s);
}

static _Noreturn void be_copy(struct search *s, int depth, struct gift *gift)
{
    begin_part(s, gift);
    cut_stack(s, depth, gift);
    while (explore_execution(s) && team_is_believed(s))
        ;
    leave_copy(s);
}

/* ---------------------------------------------------------------- giving away */

static bool is_analysed(const struct search *s)
{
    for (int i = s->trail.count - 1; i >= 0; i--)
        if (s->stack[i]->analysed_thread != s->trail.events[i].thread ||
            s->stack[i]->analysed_choice != s->trail.events[i].choice)
            return false;
    return true;
}

static void hand_over(struct search *s, int depth, struct node *node)
{
    GROW(s->jobs.unseen, s->jobs.mark_room, s->jobs.marks + 1);
    if (s->jobs.marks >= MOST_THREADS << 8)
        return;
    /* SOUND: sequences that are found later do not reach the copy.  Those that are there are followed, and from now on
     * nothing is dropped since one could cover it. */
    s->exact = false;
    node->gift =
        team_copy(s, (struct gift){.thread = node->todo.list[0], .after = node->thread, .mark = s->jobs.marks++});
    if (node->gift && !node->gift->process)
        be_copy(s, depth, node->gift);
}

void jobs_give(struct search *s)
{
    uint64_t now = cycles_now();
    if (!team_has_room(s) || !s->begun || !is_analysed(s))
        return;
    for (int depth = s->jobs.base + 1; depth < s->height - 1; depth++) {
        struct node *node = s->stack[depth];
        if (!node->todo.count || node->gift || now - node->begun < s->jobs.grain ||
            node->sleep & only(node->todo.list[0]) || !wanted_is_needed(&node->todo, node->todo.list[0]))
            continue;
        hand_over(s, depth, node);
        return;
    }
}

/* ---------------------------------------------------------------- taking back */

static void take_over(struct search *s, struct node *node, const struct page *page)
{
    const struct gift *gift = node->gift;
    const struct wish *wishes = (const struct wish *)(page->room + PAGE_ROOM / 2);
    wanted_take(&node->todo);
    node->thread = gift->thread;
    node->choice = node->choices = 0;
    for (unsigned i = 0; i < page->answer.wishes; i++)
        search_wish(s, &wishes[i]);
    node->explored++;
    if (s->symmetric) {
        struct seen seen = {0};
        get_seen(&seen, (const struct told_deed *)(page->room + PAGE_ROOM / 2 + PAGE_ROOM / 4), page->answer.seen);
        uint32_t mark = mark_deed(gift->mark);
        if (seen_has(&seen, mark)) {
            seen_remove(&seen, mark);
            seen_join(&seen, &node->orbit.asleep[gift->after]);
        }
        orbit_explored(node, gift->thread, seen);
    }
    node->sleep |= only(gift->thread);
}

bool jobs_collect(struct search *s, struct node *node)
{
    if (!team_wait(s, node->gift, NULL))
        return true;
    const struct page *page = node->gift->page;
    bool believed = is_written(&page->answered);
    if (believed)
        team_add(s, page);
    if (believed && page->answer.stopped) /* for a reason that is one for all */
        search_stop(s, NULL);
    else if (believed)
        take_over(s, node, page);
    team_count(s, believed);
    team_forget(s, node->gift);
    node->gift = NULL;
    search_tick(s);
    return believed;
}
