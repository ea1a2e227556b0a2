/* Parts of the search as jobs for copies of the process; the executions are the same as those of one process.
 *
 * Subtrees of schedules (jobs.c) as in ../../../engines/stateless/jobs.py; read there why nothing changes, and what
 * copies wait for.  Execution graphs that are left for later: graph_jobs.c.  What both need: team.h.
 */
#ifndef ISOSPIN_JOBS_H
#define ISOSPIN_JOBS_H

#include "orbits/orbit.h"
#include "reversals/trail.h"
#include "reversals/wanted.h"

struct search;
struct node;
struct gift; /* what a copy explores */

/* What a race wants at a node above the subtree of a copy; `back`: the thread, or whoever can move, as orbit.c does. */
struct wish {
    thread_set first;
    int depth, thread, earliest;
    bool back;
    struct doubt doubt;
    struct place here, there; /* the two that are reversed; wishes are the same whatever they are */
    int next; /* the one before it for the same depth, + 1 */
};

struct jobs {
    struct team *team; /* NULL: there is only this process */
    bool holds; /* a token: may it run? */
    int workers;
    int base; /* in a copy: where its subtree begins; else -1 */
    struct page *own; /* in a copy: where it says how far it is */
    struct gift *gift; /* in a copy: what it explores */
    struct gift **gifts; /* what was given away and is not collected yet */
    unsigned gift_count, gift_room;
    long *leaving; /* processes of copies that were collected, and have not been waited for */
    unsigned leaving_count, leaving_room;
    bool in_order; /* what is told is what one process would find first, not what is found first */
    uint64_t knowledge; /* in a copy: what was known when it was made */
    int points; /* in a copy: how many situations were known when it was made (await.h) */
    struct wish *wishes;
    unsigned wish_count, wish_room;
    int *newest; /* wish for each depth, + 1 */
    unsigned newest_room;
    struct page **unseen; /* by the number of a mark: where it will be written what was seen */
    unsigned marks, mark_room;
    uint64_t grain; /* cycles: a subtree is given away if the one before it takes at least so long */
    long long findings; /* that copies told */
    long long taken, refused; /* answers of copies that were believed, and not */
    bool alone; /* something outside is changed: nobody else may run */
};

/* With so many processes at a time. */
void jobs_open(struct search *search, int workers);
/* Before an execution: give something away, if somebody else may run.  A copy never comes back. */
void jobs_give(struct search *search);
/* The turn of the thread that was given away has come.  False: we have to explore it ourselves. */
bool jobs_collect(struct search *search, struct node *node);
/* The thread that was being explored is done: its copy may want to know what was seen. */
void jobs_publish(struct search *search, struct node *node);
/* In a copy, of a node above: write it down. */
void jobs_wish(struct search *search, const struct wish *wish);
bool jobs_is_wished(const struct search *search, const struct wish *wish);
/* What was seen, also by those who had not told it: waits for them. */
struct seen jobs_resolved(struct search *search, const struct seen *set);
/* A copy cannot be believed: it ends at once.  Nothing, if this is none. */
void jobs_disown(struct search *search);
/* Whoever helps has to stop, and says what it has found; or is not needed any more. */
void jobs_end(struct search *search, bool listen);
/* The search starts again, without them; in a copy: it ends. */
void jobs_start_again(struct search *search);
/* Was it found elsewhere what all look for? */
bool jobs_are_over(const struct search *search);
/* How many in all, with those that copies have made so far. */
struct counts {
    long long executions, blocked, transitions;
};
struct counts jobs_counts(const struct search *search);
/* Are there enough executions? */
void jobs_limit(struct search *search);
/* Tell the same to who made this copy. */
void jobs_tell(const struct search *search);
/* Something outside of the process is about to be used that all copies would share. */
void jobs_alone(void);

/* ---- the same of graphs that are left for later */
/* Before an execution: give away graphs from the bottom of the stack, if somebody else may run. */
void graph_jobs_give(struct search *search);
/* If the turn of graphs has come that were given away, listen. */
void graph_jobs_collect(struct search *search);
/* The search begins (again). */
void graph_jobs_begin(struct search *search);

#endif
