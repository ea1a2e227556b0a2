/* Plain memory that rounds of loops read although others write it, and what threads store there: *spots*.
 *
 * Only what is stored in known spots is noted; so what is new counts from the next search on.
 */
#ifndef ISOSPIN_SPOTS_H
#define ISOSPIN_SPOTS_H

#include "explore/contract.h"

enum { MOST_SPOTS = 256 };

/* A search begins: what was found until now counts. */
void spots_open(void);
/* Was any found since? */
bool spots_are_more(void);
/* The number of these bytes, from 0 on; they are one from now on.  NO_SPOT: that does not count yet. */
enum { NO_SPOT = -1 };
int spot_at(uintptr_t from, size_t size);
/* Do these numbers count? */
bool spot_counts(int spot);

/* ---- the execution that is being made */
void spots_begin(void);
/* A thread makes its next event: what it stored until now is behind the one before. */
void spots_step(int thread, int nth);
/* It stores there, or frees. */
extern bool spots_watched;
void spots_store(int thread, uintptr_t from, size_t size);
/* All of it, when it is over. */
struct stored {
    uint8_t thread;
    int nth; /* of the event behind which it was */
    int spot;
    uint64_t value; /* the last one there */
};
const struct stored *spots_end(unsigned *count);

#endif
