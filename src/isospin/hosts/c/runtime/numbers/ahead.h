/* The code that is still to be executed, with its rules (binary/rules.py), and what carriers may hold for it: what
 * numbers.c computes with. */
#ifndef ISOSPIN_AHEAD_H
#define ISOSPIN_AHEAD_H

#include "numbers/numbers.h"

enum { MOST_VALUES = MOST_NUMBERS, MOST_RULES = 1 << 14, MOST_GIVEN = 4 * MOST_THREADS };

struct held { /* what a carrier may hold */
    uint64_t carrier; /* 0: free */
    uint64_t of;      /* the question that it was filled for */
    uint64_t read_at; /* the state in which code reads it, + 1 */
    uint64_t kept_at; /* the state in which it must keep its numbers, + 1 */
    bool wide, changes;
    bool meets; /* numbers that change, in a rule */
    bool stray; /* wide, and a pointer there may lead to what is listed nowhere */
    int count;
    uintptr_t one[MOST_VALUES], other[MOST_VALUES];
};

struct held *held_by(uint64_t carrier);

struct ahead {
    uint64_t at;
    bool opaque, wild;
    bool read; /* a bystander may read anything */
    uintptr_t opaque_at, wild_at; /* an instruction that is to blame */
    int count;
    const struct rule *rules[MOST_RULES];
    struct given {
        const struct thread *by; /* NULL: it is not known what it is */
        uint64_t target;
        bool leads; /* not to be put there: it is where the carrier is that is about to be touched */
    } given[MOST_GIVEN]; /* what threads are about to put into carriers */
    int given_count;
    uint64_t pinned[(1 << 16) / 64];
};

extern struct ahead ahead;
/* Fill it, once for each state. */
void look_ahead(void);

#endif
