/* Reference: Yang, Chen, Gopalakrishnan, Kirby, SPIN 2007; Simsa, Bryant, Gibson, Hickey, RV 2012.
 * Differs: as ../../../engines/stateless/jobs.py says: the tree is exactly the one of a single process.
 */
#include "jobs/jobs.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"
#include "wire/message.h"
#include "wire/outcomes.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROOM = 1 << 28,
    PAUSE = 200000 /* ns */,
    LAST_WORDS = 5000 /* pauses */,
    PATIENCE = 25000,
    MARK = 255 /* a kind of no operation */
};

/* What all processes of the search share. */
struct team {
    int tokens; /* how many more may run */
    int over;
};

struct told_action {
    struct operation op;
    uint8_t thread;
};

/* What a copy found. */
struct answer {
    struct counts counts;
    long long depth, sum, held, checks, successes, skipped, covered;
    const char *incomplete; /* a word of ours: it is at the same address in all copies */
    unsigned wishes, seen, text;
    int findings;
    bool stopped;
};

enum letter { NOT_WRITTEN, WRITTEN, NOT_TO_BE_WRITTEN };

/* Shared by two processes, and by copies of the second. */
struct page {
    int earlier, answered; /* letters */
    unsigned seen; /* actions of the thread before it: they come first in `room` */
    struct counts counts; /* so far */
    struct answer answer;
    char room[]; /* what was seen earlier; then, from the half on: wishes, what was seen, messages */
};

struct gift {
    int thread, after; /* who is explored, and who was being explored then: it sleeps in the copy */
    unsigned mark;
    long process;
    struct page *page;
};

static struct search *giver;

/* ---------------------------------------------------------------- processes */

static void *shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void doze(void)
{
    struct timespec time = {0, PAUSE};
    syscall(SYS_nanosleep, &time, NULL);
}

static bool take_token(struct team *team)
{
    int left = __atomic_load_n(&team->tokens, __ATOMIC_SEQ_CST);
    while (left > 0)
        if (__atomic_compare_exchange_n(&team->tokens, &left, left - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
    return false;
}

static void give_token(struct team *team) { __atomic_fetch_add(&team->tokens, 1, __ATOMIC_SEQ_CST); }

/* This process does not run any more, for now or for ever. */
static void release(struct search *s)
{
    if (s->jobs.holds)
        give_token(s->jobs.team);
    s->jobs.holds = false;
}

static bool has_ended(struct gift *gift)
{
    if (gift->process && syscall(SYS_wait4, gift->process, NULL, WNOHANG, NULL) != 0)
        gift->process = 0;
    return !gift->process;
}

static bool is_written(const int *letter) { return __atomic_load_n(letter, __ATOMIC_ACQUIRE) != NOT_WRITTEN; }

/* Let another one run until a copy has ended, or something is written.  False: the search is over. */
static bool wait_for(struct search *s, struct gift *gift, const int *letter)
{
    struct team *team = s->jobs.team;
    if (gift ? has_ended(gift) : is_written(letter))
        return true;
    release(s);
    while (!(gift ? has_ended(gift) : is_written(letter))) {
        search_tick(s);
        if (s->over)
            return false; /* the token is not needed any more */
        doze();
    }
    /* Who was killed has not given its token back: then one more runs than should, but nobody waits for ever. */
    for (int n = 0; n < PATIENCE && !(s->jobs.holds = take_token(team)); n++) {
        search_tick(s);
        if (s->over)
            return false;
        doze();
    }
    return true;
}

static _Noreturn void vanish(void)
{
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

void jobs_disown(struct search *s)
{
    if (s->jobs.base < 0)
        return;
    release(s);
    vanish();
}

void jobs_open(struct search *s, int workers)
{
    giver = s;
    s->jobs.workers = workers;
    if (workers < 2 || !(s->jobs.team = shared(sizeof *s->jobs.team)))
        return;
    s->jobs.team->tokens = workers - 1;
    s->jobs.holds = true;
    s->jobs.grain = (uint64_t)option_number("grain", 60) * 1000000;
}

/* ---------------------------------------------------------------- sets of actions that others read */

static unsigned put_seen(const struct seen *set, struct told_action *list, size_t most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < set->words; i++)
        for (uint64_t rest = set->bits[i]; rest; rest &= rest - 1) {
            if ((count + 1) * sizeof *list > most)
                return ~0u;
            const struct action *a = action(i * 64 + (unsigned)__builtin_ctzl(rest));
            list[count++] = (struct told_action){a->op, a->thread};
        }
    return count;
}

static void get_seen(struct seen *set, const struct told_action *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        seen_add(set, action_number(list[i].thread, &list[i].op));
}

static uint32_t mark_action(unsigned mark)
{
    struct operation op = {.kind = MARK, .waits = (uint8_t)mark};
    return action_number((int)(mark >> 8), &op);
}

void jobs_publish(struct search *s, struct node *node)
{
    struct page *page = node->gift->page;
    if (!s->symmetric)
        return;
    page->seen = put_seen(&node->orbit.asleep[node->thread], (struct told_action *)page->room, ROOM / 2);
    __atomic_store_n(&page->earlier, page->seen == ~0u ? NOT_TO_BE_WRITTEN : WRITTEN, __ATOMIC_RELEASE);
}

static _Noreturn void leave_copy(struct search *s);

void jobs_resolve(struct search *s, struct seen *set)
{
    if (s->jobs.base < 0)
        return;
    for (bool found = true; found;) {
        found = false;
        for (unsigned m = 0; m < s->jobs.marks; m++) {
            if (!s->jobs.unseen[m] || !seen_has(set, mark_action(m)))
                continue;
            struct page *page = s->jobs.unseen[m];
            found = true;
            if (!wait_for(s, NULL, &page->earlier))
                leave_copy(s);
            if (page->earlier != WRITTEN)
                jobs_disown(s);
            seen_remove(set, mark_action(m));
            get_seen(set, (const struct told_action *)page->room, page->seen);
        }
    }
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
            w->back == wish->back)
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
    jobs->own = gift->page;
    jobs->holds = true;
    jobs->wish_count = 0;
    for (unsigned i = 0; i < jobs->newest_room; i++)
        jobs->newest[i] = 0;
    GROW(jobs->unseen, jobs->mark_room, gift->mark + 1);
    jobs->unseen[gift->mark] = gift->page;
    jobs->findings = 0;
    s->executions = s->blocked = s->transitions = s->depth = s->sum.total = 0;
    s->symmetry.checks = s->symmetry.successes = s->symmetry.skipped = s->symmetry.covered = 0;
    s->held = s->reversed_count = 0;
    s->max_executions = -1;
    s->interval = -1;
    s->incomplete = NULL;
    outcomes_forget();
    message_divert();
}

/* The thread before it sleeps; what is above stays as it is, to tell what is explored there anyway. */
static void cut_stack(struct search *s, int depth, struct gift *gift)
{
    for (int i = 0; i < s->height; i++)
        s->stack[i]->gift = NULL;
    while (s->height - 1 > depth) {
        trail_pop(&s->trail);
        s->height--;
        if (s->symmetric)
            orbit_clear(s->stack[s->height]);
    }
    struct node *node = s->stack[depth];
    if (s->symmetric)
        orbit_sleep(node, gift->after, mark_action(gift->mark));
    node->sleep |= only(gift->after);
    node->explored++; /* by then */
    node->thread = -1;
    node->choice = node->choices = 0;
    node->todo[0] = (uint8_t)gift->thread;
    node->todo_count = 1;
    s->jobs.base = depth;
}

static void put_answer(struct search *s, struct gift *gift)
{
    struct page *page = gift->page;
    struct answer *a = &page->answer;
    char *room = page->room + ROOM / 2, *end = page->room + ROOM;
    const struct node *node = s->stack[s->jobs.base];
    size_t wishes = s->jobs.wish_count * sizeof *s->jobs.wishes;
    unsigned text;
    if (!s->over && !(node->sleep & only(gift->thread)))
        return; /* it was not explored: whoever made us will see why */
    outcomes_tell();
    tell_reversed(s);
    const char *said = message_diverted(&text);
    if (wishes > ROOM / 8 || text > ROOM / 8)
        return;
    *a = (struct answer){.counts = {s->executions, s->blocked, s->transitions},
                         .depth = s->depth,
                         .sum = s->sum.total,
                         .held = s->held,
                         .checks = s->symmetry.checks,
                         .successes = s->symmetry.successes,
                         .skipped = s->symmetry.skipped,
                         .covered = s->symmetry.covered,
                         .incomplete = s->incomplete,
                         .wishes = s->jobs.wish_count,
                         .text = text,
                         .findings = (int)s->jobs.findings,
                         .stopped = s->over};
    if (wishes)
        memcpy(room, s->jobs.wishes, wishes);
    memcpy(room + ROOM / 8, said, text);
    if (s->symmetric && !s->over)
        a->seen = put_seen(&node->orbit.asleep[gift->thread], (struct told_action *)(room + ROOM / 4),
                           (size_t)(end - (room + ROOM / 4)));
    if (a->seen != ~0u)
        __atomic_store_n(&page->answered, WRITTEN, __ATOMIC_RELEASE);
    if (a->findings && !s->all_errors)
        __atomic_store_n(&s->jobs.team->over, 1, __ATOMIC_SEQ_CST);
}

/* Say what came of it, if that can be believed. */
static _Noreturn void leave_copy(struct search *s)
{
    bool believed = program_knowledge() == s->jobs.knowledge;
    jobs_end(s, believed);
    if (believed)
        put_answer(s, s->jobs.gift);
    release(s);
    vanish();
}

static _Noreturn void be_copy(struct search *s, int depth, struct gift *gift)
{
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    s->jobs.knowledge = program_knowledge();
    s->jobs.gift = gift;
    program_copied();
    begin_part(s, gift);
    cut_stack(s, depth, gift);
    while (explore_execution(s) && program_knowledge() == s->jobs.knowledge)
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
    struct gift *gift = arena_take(sizeof *gift);
    struct page *page = shared(sizeof *page + ROOM);
    GROW(s->jobs.unseen, s->jobs.mark_room, s->jobs.marks + 1);
    *gift = (struct gift){.thread = node->todo[0], .after = node->thread, .mark = s->jobs.marks++, .page = page};
    if (gift->mark >= MOST_THREADS << 8 || !page || (gift->process = syscall(SYS_fork)) < 0) {
        s->jobs.alone = true; /* no more of them */
        give_token(s->jobs.team);
        return;
    }
    if (gift->process == 0)
        be_copy(s, depth, gift);
    node->gift = gift;
}

void jobs_give(struct search *s)
{
    uint64_t now = cycles_now();
    if (!s->jobs.team || s->jobs.alone || !s->begun || !s->jobs.team->tokens || !is_analysed(s))
        return;
    for (int depth = s->jobs.base + 1; depth < s->height - 1; depth++) {
        struct node *node = s->stack[depth];
        if (!node->todo_count || node->gift || now - node->begun < s->jobs.grain || node->sleep & only(node->todo[0]))
            continue;
        if (take_token(s->jobs.team))
            hand_over(s, depth, node);
        return;
    }
}

/* ---------------------------------------------------------------- taking back */

static void give_up(struct gift *gift)
{
    if (gift->process && !has_ended(gift)) {
        syscall(SYS_kill, gift->process, SIGKILL);
        syscall(SYS_wait4, gift->process, NULL, 0, NULL);
        gift->process = 0;
    }
}

static void forget(struct node *node)
{
    munmap(node->gift->page, sizeof *node->gift->page + ROOM);
    arena_give(node->gift, sizeof *node->gift);
    node->gift = NULL;
}

static void add_answer(struct search *s, const struct page *page)
{
    const struct answer *a = &page->answer;
    s->executions += a->counts.executions;
    s->blocked += a->counts.blocked;
    s->transitions += a->counts.transitions;
    s->depth = a->depth > s->depth ? a->depth : s->depth;
    s->sum.total += a->sum;
    s->held += a->held;
    s->symmetry.checks += a->checks;
    s->symmetry.successes += a->successes;
    s->symmetry.skipped += a->skipped;
    s->symmetry.covered += a->covered;
    if (a->incomplete && !s->incomplete)
        s->incomplete = a->incomplete;
    s->jobs.findings += a->findings;
    message_relay(page->room + ROOM / 2 + ROOM / 8, a->text);
}

static void take_over(struct search *s, struct node *node, const struct page *page)
{
    const struct gift *gift = node->gift;
    const struct wish *wishes = (const struct wish *)(page->room + ROOM / 2);
    node->waiting &= ~only(gift->thread);
    memmove(node->todo, node->todo + 1, (size_t)--node->todo_count);
    node->thread = gift->thread;
    node->choice = node->choices = 0;
    for (unsigned i = 0; i < page->answer.wishes; i++)
        search_wish(s, &wishes[i]);
    node->explored++;
    if (s->symmetric) {
        struct seen seen = {0};
        get_seen(&seen, (const struct told_action *)(page->room + ROOM / 2 + ROOM / 4), page->answer.seen);
        uint32_t mark = mark_action(gift->mark);
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
    if (!wait_for(s, node->gift, NULL))
        return true;
    const struct page *page = node->gift->page;
    bool believed = is_written(&page->answered);
    if (believed)
        add_answer(s, page);
    if (believed && page->answer.stopped) /* for a reason that is one for all */
        search_stop(s, NULL);
    else if (believed)
        take_over(s, node, page);
    s->jobs.taken += believed;
    s->jobs.refused += !believed;
    forget(node);
    search_tick(s);
    return believed;
}

void jobs_end(struct search *s, bool listen)
{
    for (int i = 0; listen && i < s->height; i++)
        if (s->stack[i]->gift)
            s->jobs.team->over = 1;
    for (int i = 0; i < s->height; i++) {
        struct node *node = s->stack[i];
        if (!node->gift)
            continue;
        for (int n = 0; listen && n < LAST_WORDS && !has_ended(node->gift); n++)
            doze();
        give_up(node->gift);
        if (listen && is_written(&node->gift->page->answered))
            add_answer(s, node->gift->page);
        forget(node);
    }
    if (!listen && s->jobs.team && s->jobs.base < 0) /* nobody is left, and it begins again */
        *s->jobs.team = (struct team){.tokens = s->jobs.workers - 1};
}

bool jobs_are_over(const struct search *s)
{
    return s->jobs.team && __atomic_load_n(&s->jobs.team->over, __ATOMIC_SEQ_CST);
}

struct counts jobs_counts(const struct search *s)
{
    struct counts all = {s->executions, s->blocked, s->transitions};
    for (int i = 0; s->jobs.team && i < s->height; i++)
        if (s->stack[i]->gift) {
            const struct counts *more = &s->stack[i]->gift->page->counts;
            all.executions += more->executions;
            all.blocked += more->blocked;
            all.transitions += more->transitions;
        }
    return all;
}

void jobs_tell(const struct search *s)
{
    if (s->jobs.own)
        s->jobs.own->counts = jobs_counts(s);
}

void jobs_alone(void)
{
    if (!giver || !giver->jobs.team)
        return;
    jobs_disown(giver);
    giver->jobs.alone = true;
    for (int i = 0; i < giver->height; i++)
        if (giver->stack[i]->gift) {
            give_up(giver->stack[i]->gift);
            giver->stack[i]->gift->page->answered = NOT_WRITTEN;
        }
}
