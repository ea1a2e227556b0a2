/* A search by several processes that share no memory, the ranks of an MPI job.  Without CLUSTER there is one.

   Every state belongs to one rank, which its key names: that rank stores it, expands it, and knows whose successor it
   is. */
#ifndef ISOSPIN_CLUSTER_H
#define ISOSPIN_CLUSTER_H

#include <stdio.h>

#include "core/engine.h"

/* What all ranks know at the end of a level. */
struct agreement {
    uint64_t length; /* states of the next one */
    bool stop;
    bool may_go_on; /* if it stops: from where it was saved */
    bool save;
};

#if CLUSTER

/* What goes to another rank with a state: the number of its parent there, and which successor it is. */
enum { ORDER_BITS = 24 };

/* In place of a rank: a file of an earlier generation of the search, see saved.c; its generation and its rank are in
   the other bits. */
#define ARCHIVED (1U << 31)

enum { LOADING_OLD = 1 }; /* or a value with ARCHIVED: the states that come are those of that file */

/* The way back from a state: the place of its parent on a rank (UINT32_MAX: it has none), and which successor it is. */
struct step {
    uint64_t place;
    uint32_t rank, order;
};

/* States on their way to a rank, until there are enough of them for a message. */
struct outgoing {
    word *begin, *next, *full;
};

struct cluster {
    uint32_t rank, size;
    double started; /* CPU time that passed until MPI was there */
    double silence; /* seconds after which a rank that says nothing is lost */
    struct outgoing *out; /* by rank */
    uint64_t base; /* places before this one are not those of this generation */
    uint64_t stored; /* states when the last level ended; those of the next one may have come since */
    uint32_t loading; /* 0: states come from ranks that expand */
};

extern struct cluster cluster;

/* A rank has one state in 2 to this power, roughly: tables begin that much smaller, so that they hold quotients when as
   many states were found in all as one process needs for that. */
static inline unsigned cluster_share(void)
{
    unsigned share = 0;
    while (share < 4 && cluster.size >> share > 1) {
        share++;
    }
    return share;
}

/* What a rank has counted. */
struct counts {
    uint64_t states, transitions, queue, memory;
    double cpu;
};

/* ranks.c */
void cluster_begin(int *argc, char ***argv);
bool cluster_open(bool ready);
void cluster_send(struct worker *w, uint32_t to);
void cluster_watch(struct worker *w);
void cluster_end_level(struct worker *w);
struct agreement cluster_agree(uint64_t length);
void cluster_wait(void *request);
struct counts cluster_others(void);
void cluster_finish(void);
void cluster_abort(void) __attribute__((noreturn));

/* findings.c */
void cluster_finding(struct worker *w, uint32_t site, const struct choice *last);
uint64_t cluster_findings(void);
void cluster_tell_findings(void);

/* leftovers.c */
void cluster_forget_names(void);

/* saved.c */
void cluster_save_level(bool due);
void cluster_save_stopped(void);
bool cluster_save_due(void);
void cluster_load(void);
struct step archived_step(uint32_t archive, uint64_t place);

/* path.c */
void tail_print(const struct worker *w, const struct choice *last, FILE *out);
uint32_t order_at(uint32_t chunk, uint32_t index);
void orders_print(const uint32_t *last_first, size_t count, const char *tail, FILE *out);

/* scatter.inc.h, in the generated file */
void send_saved(struct worker *w, const word *state, uint64_t origin);
void take_in(struct worker *w, const word *records, uint32_t count, uint32_t source);

#else

static inline unsigned cluster_share(void) { return 0; }
static inline void cluster_watch(struct worker *w) { (void)w; }
static inline void cluster_end_level(struct worker *w) { (void)w; }
static inline bool cluster_open(bool ready) { return ready; }
static inline void cluster_save_level(bool due) { (void)due; }
static inline void cluster_save_stopped(void) {}
static inline void cluster_load(void) {}
static inline struct agreement cluster_agree(uint64_t length)
{
    return (struct agreement){length, shared.stop, false, false};
}

#endif
#endif
