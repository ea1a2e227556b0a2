#include "jobs/team.h"

#include "explore/arena.h"
#include "explore/search.h"
#include "wire/message.h"
#include "wire/outcomes.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAUSE = 200000 /* ns */, LONGEST = 25 /* pauses at a time */, LAST_WORDS = 5000 /* pauses */, PATIENCE = 1000 };

/* What all processes of the search share. */
struct team {
    int tokens; /* how many more may run */
    int over;
    int news; /* how often something happened for which somebody may wait */
};

static struct search *giver;

/* ---------------------------------------------------------------- who may run */

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

static int news_of(const struct team *team) { return __atomic_load_n(&team->news, __ATOMIC_SEQ_CST); }

/* Until there is news, or for some time: longer and longer, since each look costs those who work. */
static void nap(struct team *team, int news, int *times)
{
    struct timespec time = {0, (*times < LONGEST ? *times + 1 : LONGEST) * PAUSE};
    syscall(SYS_futex, &team->news, FUTEX_WAIT, news, &time, NULL, 0);
    *times = news_of(team) == news ? *times + 1 : 0; /* who told us may need a moment to end */
}

static void tell_news(struct team *team)
{
    __atomic_fetch_add(&team->news, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &team->news, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool take_token(struct team *team)
{
    int left = __atomic_load_n(&team->tokens, __ATOMIC_SEQ_CST);
    while (left > 0)
        if (__atomic_compare_exchange_n(&team->tokens, &left, left - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
    return false;
}

static void give_token(struct team *team)
{
    __atomic_fetch_add(&team->tokens, 1, __ATOMIC_SEQ_CST);
    tell_news(team);
}

bool team_has_room(struct search *s)
{
    if (!s->jobs.team || s->jobs.alone || search_is_undecided(s))
        return false;
    return __atomic_load_n(&s->jobs.team->tokens, __ATOMIC_SEQ_CST) > 0;
}

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

/* Copies that have answered, and are about to end: their time counts for ours once we have waited for them. */
static void let_go(struct jobs *jobs, struct gift *gift)
{
    if (has_ended(gift))
        return;
    GROW(jobs->leaving, jobs->leaving_room, jobs->leaving_count + 1);
    jobs->leaving[jobs->leaving_count++] = gift->process;
}

static void wait_for_leaving(struct jobs *jobs)
{
    while (jobs->leaving_count)
        syscall(SYS_wait4, jobs->leaving[--jobs->leaving_count], NULL, 0, NULL);
}

void team_stop(struct search *s) { __atomic_store_n(&s->jobs.team->over, 1, __ATOMIC_SEQ_CST); }

void team_dismiss(struct gift *gift) { __atomic_store_n(&gift->page->unwanted, true, __ATOMIC_SEQ_CST); }

static bool is_unwanted(const struct page *page) { return __atomic_load_n(&page->unwanted, __ATOMIC_SEQ_CST); }

void team_write(struct search *s, int *letter, enum letter what)
{
    __atomic_store_n(letter, what, __ATOMIC_RELEASE);
    tell_news(s->jobs.team);
}

bool is_written(const int *letter) { return __atomic_load_n(letter, __ATOMIC_ACQUIRE) != NOT_WRITTEN; }

/* Is there an answer, or will there never be one?  Who has answered needs a moment to end, and nobody waits for that.
 */
static bool has_come(struct gift *gift, const int *letter)
{
    return gift ? is_written(&gift->page->answered) || has_ended(gift) : is_written(letter);
}

bool team_wait(struct search *s, struct gift *gift, const int *letter)
{
    struct team *team = s->jobs.team;
    int times = 0, news = news_of(team);
    if (has_come(gift, letter))
        return true;
    release(s);
    for (; !has_come(gift, letter); news = news_of(team)) {
        search_tick(s);
        jobs_tell(s); /* what our own copies have counted meanwhile */
        jobs_limit(s);
        if (s->over)
            return false; /* the token is not needed any more */
        nap(team, news, &times);
    }
    /* Who was killed has not given its token back: then one more runs than should, but nobody waits for ever. */
    for (times = 0; times < PATIENCE && !(s->jobs.holds = take_token(team)); news = news_of(team)) {
        search_tick(s);
        if (s->over)
            return false;
        nap(team, news, &times);
    }
    return true;
}

void jobs_open(struct search *s, int workers)
{
    giver = s;
    s->jobs.workers = workers;
    if (workers < 2 || option("note_orders") /* a copy would not tell them */)
        return;
    if (!(s->jobs.team = shared(sizeof *s->jobs.team)))
        return;
    s->jobs.team->tokens = workers - 1;
    s->jobs.holds = true;
    s->jobs.grain = (uint64_t)option_number("grain", 3) * 1000000;
}

/* ---------------------------------------------------------------- in a copy */

void team_begin(struct search *s, struct gift *gift)
{
    struct jobs *jobs = &s->jobs;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    program_copied();
    jobs->knowledge = program_knowledge();
    jobs->gift = gift;
    jobs->own = gift->page;
    jobs->holds = true;
    jobs->gift_count = jobs->leaving_count = 0;
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

bool team_is_believed(const struct search *s) { return program_knowledge() == s->jobs.knowledge; }

bool team_answer(struct search *s)
{
    struct page *page = s->jobs.own;
    unsigned text;
    outcomes_tell();
    tell_reversed(s);
    const char *said = message_diverted(&text);
    if (text > PAGE_ROOM / 8)
        return false;
    page->answer = (struct answer){.counts = {s->executions, s->blocked, s->transitions},
                                   .depth = s->depth,
                                   .sum = s->sum.total,
                                   .held = s->held,
                                   .checks = s->symmetry.checks,
                                   .successes = s->symmetry.successes,
                                   .skipped = s->symmetry.skipped,
                                   .covered = s->symmetry.covered,
                                   .incomplete = s->incomplete,
                                   .text = text,
                                   .findings = (int)s->jobs.findings,
                                   .stopped = s->over};
    memcpy(page->room + PAGE_ROOM / 2 + PAGE_ROOM / 8, said, text);
    return true;
}

void team_leave(struct search *s)
{
    release(s);
    wait_for_leaving(&s->jobs);
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

void jobs_tell(const struct search *s)
{
    if (s->jobs.own)
        s->jobs.own->counts = jobs_counts(s);
}

/* ---------------------------------------------------------------- of who makes copies */

/* A copy begins on our processor if all others seem to be busy, with the end of another copy, say; and the kernel lets
 * it wait there for some milliseconds before it moves it.  So it is moved at once, and may then be moved anywhere. */
static void move_away(long process)
{
    unsigned long all[16] = {0}, others[16], here;
    unsigned processor;
    long size = syscall(SYS_sched_getaffinity, 0, sizeof all, all);
    if (size <= 0 || syscall(SYS_getcpu, &processor, NULL, NULL) < 0)
        return;
    here = processor / (8 * sizeof *all);
    memcpy(others, all, sizeof others);
    if (here < sizeof all / sizeof *all)
        others[here] &= ~(1ul << processor % (8 * sizeof *all));
    if (!syscall(SYS_sched_setaffinity, process, size, others))
        syscall(SYS_sched_setaffinity, process, size, all);
}

struct gift *team_copy(struct search *s, struct gift what)
{
    struct jobs *jobs = &s->jobs;
    if (!take_token(jobs->team))
        return NULL;
    struct gift *gift = arena_take(sizeof *gift);
    *gift = what;
    gift->page = shared(sizeof *gift->page + PAGE_ROOM);
    GROW(jobs->gifts, jobs->gift_room, jobs->gift_count + 1);
    if (!gift->page || (gift->process = syscall(SYS_fork)) < 0) {
        jobs->alone = true; /* no more of them */
        give_token(jobs->team);
        return NULL;
    }
    if (gift->process) {
        move_away(gift->process);
        jobs->gifts[jobs->gift_count++] = gift;
    }
    return gift;
}

void team_give_up(struct gift *gift)
{
    if (gift->process && !has_ended(gift)) {
        syscall(SYS_kill, gift->process, SIGKILL);
        syscall(SYS_wait4, gift->process, NULL, 0, NULL);
        gift->process = 0;
    }
}

/* Where copies learn what cannot be told, their work is done again, and in there that of theirs: after each of them
 * parts have to be twice as large, so that it does not grow with the depth to which copies make copies. */
void team_count(struct search *s, bool believed)
{
    s->jobs.taken += believed;
    s->jobs.refused += !believed;
    if (!believed && s->jobs.grain < UINT64_MAX / 2)
        s->jobs.grain *= 2;
}

void team_forget(struct search *s, struct gift *gift)
{
    struct jobs *jobs = &s->jobs;
    unsigned i = 0;
    while (jobs->gifts[i] != gift)
        i++;
    let_go(jobs, gift);
    memmove(jobs->gifts + i, jobs->gifts + i + 1, (--jobs->gift_count - i) * sizeof *jobs->gifts);
    munmap(gift->page, sizeof *gift->page + PAGE_ROOM);
    arena_give(gift, sizeof *gift);
}

void team_add(struct search *s, const struct page *page)
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
    message_relay(page->room + PAGE_ROOM / 2 + PAGE_ROOM / 8, a->text);
}

/* Would one process not have come to what was given away? */
static bool is_over_before(const struct search *s)
{
    bool found = s->jobs.findings && !s->all_errors;
    return s->jobs.in_order && (found || (s->jobs.own && is_unwanted(s->jobs.own)));
}

/* Each gives its token back, if it can. */
static void dismiss_all(struct search *s)
{
    for (unsigned i = 0; i < s->jobs.gift_count; i++)
        team_dismiss(s->jobs.gifts[i]);
    for (unsigned i = 0; i < s->jobs.gift_count; i++)
        for (int n = 0; n < LAST_WORDS && !has_ended(s->jobs.gifts[i]); n++)
            doze();
}

void jobs_end(struct search *s, bool listen)
{
    struct jobs *jobs = &s->jobs;
    bool leaves = jobs->in_order && jobs->own && !listen; /* who is killed does not give its token back */
    if (leaves || (listen && is_over_before(s))) {
        dismiss_all(s);
        listen = false;
    }
    if (listen && jobs->gift_count)
        team_stop(s);
    for (; jobs->gift_count; team_forget(s, jobs->gifts[0])) {
        struct gift *gift = jobs->gifts[0];
        for (int n = 0; listen && n < LAST_WORDS && !has_ended(gift); n++)
            doze();
        team_give_up(gift);
        if (listen && is_written(&gift->page->answered))
            team_add(s, gift->page);
    }
    wait_for_leaving(jobs);
    for (int i = 0; i < s->height; i++)
        s->stack[i]->gift = NULL;
    if (!listen && jobs->team && !jobs->own) /* nobody is left, and it begins again */
        *jobs->team = (struct team){.tokens = jobs->workers - 1};
}

void jobs_disown(struct search *s)
{
    if (!s->jobs.own)
        return;
    jobs_end(s, false);
    team_leave(s);
}

void jobs_start_again(struct search *s)
{
    jobs_disown(s);
    jobs_end(s, false);
    if (!s->jobs.taken)
        return;
    message_begin(MESSAGE_AGAIN); /* what copies have counted was passed on at once */
    message_end();
}

bool jobs_are_over(const struct search *s)
{
    if (s->jobs.own && is_unwanted(s->jobs.own))
        return true;
    return s->jobs.team && __atomic_load_n(&s->jobs.team->over, __ATOMIC_SEQ_CST);
}

struct counts jobs_counts(const struct search *s)
{
    struct counts all = {s->executions, s->blocked, s->transitions};
    for (unsigned i = 0; i < s->jobs.gift_count; i++) {
        const struct counts *more = &s->jobs.gifts[i]->page->counts;
        all.executions += more->executions;
        all.blocked += more->blocked;
        all.transitions += more->transitions;
    }
    return all;
}

void jobs_limit(struct search *s)
{
    if (s->max_executions >= 0 && jobs_counts(s).executions >= s->max_executions && !s->over)
        search_stop(s, INCOMPLETE_EXECUTIONS);
}

void jobs_alone(void)
{
    if (!giver || !giver->jobs.team)
        return;
    jobs_disown(giver);
    giver->jobs.alone = true;
    for (unsigned i = 0; i < giver->jobs.gift_count; i++) {
        team_give_up(giver->jobs.gifts[i]);
        giver->jobs.gifts[i]->page->answered = NOT_WRITTEN;
    }
}
