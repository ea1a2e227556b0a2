/* What a thread has looked at since it last did more than that (spin.c), and whether it is held back (held.c). */
#ifndef ISOSPIN_ROUNDS_OF_H
#define ISOSPIN_ROUNDS_OF_H

#include "runtime.h"

extern struct rounds {
    int places, reads, locks;
    int newest; /* of the places */
    struct place {
        const void *pc;
        uint64_t state;
        int reads;      /* made before */
        uint32_t least; /* how many mutexes were held at least since then */
    } place[SPIN_PLACES];
    const void *locked[SPIN_PLACES]; /* mutexes that were taken, and given back or not */
    bool own;          /* in one of the states an address in the thread's own region counts */
    uint64_t operands; /* of the pending operation, besides what it touches */
    bool compares;     /* it writes only if it finds `expected` */
    uint64_t expected;
    int point;         /* the situation of the pending operation, if it may be held back (await.h) */
    int situation;     /* the same of each read in a loop, over graphs (foresee/foresee.h); 0: it is none */
    int stand;         /* the same without the way there: what a thread does next follows from it, too */
    bool looked;       /* the pending operation, which is held back, counts as an access (await_look) */
    bool straight;     /* nothing but the last atomic read has decided that it is the next one */
    int fence;         /* how many of the reads stand before the newest fence */
    struct {           /* the last operation of the stretch that read one location; no pc: none */
        const void *pc;
        int point, how;
        int nth; /* of the reads */
        uint64_t value;
    } last;
} rounds_of[MOST_THREADS];

/* The pending operation can be executed, if it is not known that a failed round would end with it. */
bool not_held(const struct thread *thread);

#endif
