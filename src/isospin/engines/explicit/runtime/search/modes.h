/* Searches that are not the plain exact one: inexact tables, and searches that are saved and continued. */
#ifndef ISOSPIN_MODES_H
#define ISOSPIN_MODES_H

#include <stdio.h>

#include "core/engine.h"

enum { EXACT, BITSTATE, FINGERPRINT };

/* What is left to do of a breadth-first search. */
struct frontier {
    struct range *level;
    uint32_t length, room, next;
    uint32_t first;            /* number of the first chunk that is not settled */
    uint32_t *done, done_room; /* how much of each chunk from there on was in earlier levels or is in this one */
};

struct checkpoint {
    const char *path;   /* where to save, or NULL */
    const char *head;   /* what the file begins with: whose search it is */
    const char *resume; /* what to continue, or NULL */
    const char *resume_head; /* what that file must begin with */
    double interval;
};

/* Two sums that know the place of each word, and how many bytes there were. */
struct sum {
    uint64_t first, second, bytes;
};

extern const struct sum SUM_OF_NOTHING;
extern struct frontier frontier;
extern struct checkpoint checkpoint;

/* inexact.c */
bool inexact_open(void);
void inexact_grow(void);
double omission_probability(void);

/* checkpoint.c */
void checkpoint_begin(void);
void checkpoint_when_due(uint32_t next);
bool checkpoint_possible(void);
void checkpoint_write(uint32_t next, uint32_t depth);
void checkpoint_cut(struct worker *w, uint32_t at, uint64_t transitions);
bool checkpoint_read(void);
void checkpoint_finding(const char *text, size_t length);
const char *checkpoint_findings(size_t *length);
void sum_add(struct sum *sum, const unsigned char *data, size_t bytes);

/* path.c */
void path_print(struct worker *w, const struct choice *last, FILE *out);
void run_print(const uint32_t *orders, size_t count, uint64_t cycle, FILE *out);
uint64_t count_again(uint32_t chunk, uint32_t begin, uint32_t end);

/* parallel.c */
void add_range(struct range r);

#endif
