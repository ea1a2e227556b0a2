/* Who comes next: the first thread that is in no round of a loop, else the first one that may leave its round. */
#ifndef ISOSPIN_TURNS_H
#define ISOSPIN_TURNS_H

#include "foresee/foresee.h"

/* How far it was looked; all but `of` is zero at first. */
struct turns {
    enum turn turn; /* threads with this one are being tried, */
    int thread;     /* from here on */
    int in_rounds;  /* how many can go on that are in rounds */
    enum turn of[MOST_THREADS];
};

/* A thread has gone on. */
void turns_forget(int thread);
/* The next thread that could go on, or NOBODY.  Nothing is looked at that does not matter for the first of them. */
int turns_next(struct turns *turns, struct graph *graph);

#endif
