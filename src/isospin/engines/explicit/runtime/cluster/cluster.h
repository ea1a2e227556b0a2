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
};

#if CLUSTER

/* What goes to another rank with a state: the number of its parent there, and which successor it is. */
enum { ORDER_BITS = 24 };

/* States on their way to a rank, until there are enough of them for a message. */
struct outgoing {
    word *begin, *next, *full;
};

struct cluster {
    uint32_t rank, size;
    struct outgoing *out; /* by rank */
};

extern struct cluster cluster;

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

/* path.c */
void tail_print(const struct worker *w, const struct choice *last, FILE *out);
uint32_t order_at(uint32_t chunk, uint32_t index);
void orders_print(const uint32_t *last_first, size_t count, const char *tail, FILE *out);

/* scatter.inc.h, in the generated file */
void take_in(struct worker *w, const word *records, uint32_t count, uint32_t source);

#else

static inline void cluster_watch(struct worker *w) { (void)w; }
static inline void cluster_end_level(struct worker *w) { (void)w; }
static inline bool cluster_open(bool ready) { return ready; }
static inline struct agreement cluster_agree(uint64_t length) { return (struct agreement){length, shared.stop}; }

#endif
#endif
