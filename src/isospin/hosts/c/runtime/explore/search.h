/* What the parts of the search share: the stack of states, limits, counts.  Only explore.c, tell.c, jobs and
 * orbits look in here. */
#ifndef ISOSPIN_SEARCH_H
#define ISOSPIN_SEARCH_H

#include "jobs/jobs.h"
#include "orbits/orbit.h"
#include "orbits/orbit_sum.h"
#include "reversals/trail.h"
#include "reversals/wanted.h"

/* A state on the stack: what could happen in it, and what of that was explored. */
struct node {
    unsigned long number; /* no other node of the search has it */
    thread_set pending, enabled;
    thread_set sleep; /* threads that need not be explored here (any more) */
    struct wanted todo;
    uint32_t action[MOST_THREADS]; /* of those that are pending */
    int32_t await[MOST_THREADS]; /* and the situations of those that may be held back (await.h) */
    int thread; /* being explored, or -1 */
    int choice, choices; /* of that thread: the next one, and how many there are */
    int analysed_thread, analysed_choice;
    int explored; /* children */
    long long executions; /* when the thread was chosen that is being explored */
    int preemptions;
    bool cut; /* too deep */
    bool covered; /* nothing that follows needs to be explored */
    struct orbit orbit;
    uint64_t begun; /* cycles: when the thread was chosen that is being explored */
    struct gift *gift; /* the first one in `todo`, if a copy explores it */
};

/* Two places whose order was reversed, and how often something had to be explored for that. */
struct reversed {
    struct place here, there;
    long long times;
};
enum { MOST_REVERSED = 256 };

struct known_finding {
    struct finding finding;
    struct known_finding *next;
};

struct search {
    struct trail trail;
    struct node **stack;
    unsigned stack_room;
    int height; /* of the stack */
    int at; /* how many events the program has executed; more than any: it has to be restarted */
    bool begun, over;
    bool exact; /* sequences are noted (wakeup.h) */
    bool again; /* the search is to start again */
    struct sequence sequence, way; /* what is inserted; what is followed */

    bool symmetric, all_errors, deadlock;
    bool stops_at_weak; /* it ends where it is seen that there are more than interleavings */
    bool stops_at_blocked; /* it ends where most of what is tried leads nowhere */
    bool stops_at_unread;  /* it ends where most executions differ in orders that nobody sees */
    bool tries; /* it asks what comes of graphs where little speaks for them */
    bool graphs_are_clean; /* that was asked: they need many executions, and hardly give any up */
    long long max_depth, max_executions, max_preemptions; /* -1: no limit */
    double max_time, interval; /* seconds; negative: none */

    long long executions, blocked, transitions, depth, rounds;
    const char *incomplete; /* a word for Python; NULL: nothing was left out */
    struct known_finding *findings;
    uint8_t failed[2 * MOST_THREADS]; /* threads that made a failed round behind the trail, to be seen to wait */
    int failed_count;
    double started, reported;
    uint64_t first_cycle;
    bool child_more, child_ended; /* in fork mode: what the last child said */
    struct symmetry symmetry;
    struct orbit_sum sum;
    struct jobs jobs;
    struct reversed reversed[MOST_REVERSED]; /* those that came first; what does not fit is not counted */
    int reversed_count;
    const void *racing; /* where the action is whose races are looked for */
    unsigned long lessons; /* about rounds that fail, which were heeded */
    long long held; /* failed rounds of loops, which are waits since then */
    unsigned long nodes; /* how many were made */
};

/* ---- what all searches do (explore.c) */
void search_stop(struct search *search, const char *why); /* NULL: it found what it looked for */
void search_report(struct search *search, const struct finding *finding);
void search_tick(struct search *search); /* time, interruption, progress */
void search_cut_off(struct search *search); /* in the middle of a step, for one of these */
/* An execution has ended; not `over`: it was in vain.  Does it count? */
bool search_count(struct search *search, bool over);
/* Nobody can go on.  Those that are held back make their failed rounds, so that they are seen to wait.  False: one of
 * the rounds would not fail again; then another execution shows what is next (await.h, 4). */
bool search_fail_rounds(struct search *search);
/* An execution ends: those whose order with something earlier could be another one are wanted there (reversals.c). */
void search_reverse(struct search *search, struct node *node);
/* The node on top of the stack is new: whatever is to follow there. */
void search_follow(struct search *search, struct node *node);
/* The thread that was chosen cannot go on: what was to follow it comes without it. */
void search_do_without(struct search *search, struct node *node);
/* What a copy has found for a node that is ours, or is to be passed on. */
void search_wish(struct search *search, const struct wish *wish);
/* An execution has ended: stop, if execution graphs will do better, or are worth a try (graphs/worth.c). */
void search_reconsider(struct search *search, bool counts);
/* One was given up: stop, if they are worth a try. */
void search_wonder(struct search *search);
/* May that still be so?  Then nobody helps: it would be decided by other executions than those of one process. */
bool search_is_undecided(const struct search *search);
/* No two threads were alike, whenever it was asked?  Then nobody is asked from now on. */
bool search_asks_in_vain(struct search *search);
/* Leave what is explored below a node. */
void search_go_back(struct search *search, int depth);
/* From nothing: what is visible has changed. */
void search_start_again(struct search *search);

/* ---- what it says (tell.c) */
void tell_finding(struct search *search, const struct finding *finding); /* if it is new */
void tell_reversed(const struct search *search);
/* With that, all that is known besides: races that are noted, weak accesses, strangers, outcomes, orders. */
void tell_knowledge(const struct search *search);
void tell_counts(const struct search *search, double now);
/* The last message; `why` it is incomplete, or NULL. */
void tell_result(const struct search *search, const char *why);

static inline struct node *top(const struct search *search) { return search->stack[search->height - 1]; }

void search_note_reversed(struct search *search, struct place here, struct place there);

#endif
