/* Sequences with which executions begin in which a race is reversed: where one is followed to its end, nobody sleeps
 * any more that slept where it began, so no execution is begun in vain.
 *
 * Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Optimal-DPOR: wakeup trees, weak initials).
 * Differs: actions may have several outcomes, and what follows belongs to one of them, or to all.  The last action of a
 * sequence may turn out not to be executable (a semaphore, a round that fails).  SOUND: then it is left out, so that
 * the sequence has no end, and nothing that is compatible with it is covered by it.
 */
#ifndef ISOSPIN_WAKEUP_H
#define ISOSPIN_WAKEUP_H

#include "explore/action.h"

enum { ANY_CHOICE = -1 };

/* One of the ways to go on: whoever does the action, then what is below. */
struct branch {
    uint32_t action;
    int after; /* the choice of the action above it */
    bool ends; /* a sequence */
    struct branch *below, *next;
};

struct sequence {
    struct step {
        uint32_t action;
        int choice;
    } *steps;
    unsigned count, room;
    bool ends; /* nobody sleeps behind it */
};

/* Once, after arena_open. */
void wakeup_open(void);

void sequence_add(struct sequence *sequence, uint32_t action, int choice);
/* The last one that is this action. */
void sequence_leave_out(struct sequence *sequence, uint32_t action);
/* Could the action come first, in this order of the sequence or in one like it that goes on? */
bool sequence_may_begin(const struct sequence *sequence, uint32_t action);
/* If so, take it out, if it is there, to go on behind it with this choice. */
bool sequence_begin(struct sequence *sequence, uint32_t action, int *choice);

/* Behind an action with this choice; nothing, if that is how a sequence `ends`: whatever is explored there covers it.
 */
void branch_extend(struct branch **tree, int choice, bool ends, struct sequence *sequence);
void branch_give(struct branch *tree);

#endif
