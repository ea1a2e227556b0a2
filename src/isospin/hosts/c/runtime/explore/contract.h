/* What the exploration knows of a program, and nothing else.
 *
 * The same words as in ../../../protocol.py: a thread is a number, an operation is the next visible thing that a thread
 * does, and it ends just before the next visible operation of the same thread.  The program side (threads, locks,
 * memory) implements `program_*`; the exploration calls them; `race.h` and `alike.h` stand beside it.
 */
#ifndef ISOSPIN_CONTRACT_H
#define ISOSPIN_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h"

enum { MOST_SPANS = 4 };

typedef uint64_t thread_set; /* bit t: thread t */

struct span {
    uintptr_t from;
    uint32_t size;
    uint8_t space;
    uint8_t writes;
    uint8_t decides; /* whether the operation can be executed depends on it */
    uint8_t commutes; /* not 0: it writes, and so that two of the same number commute (enum commuting) */
};

/* Two operations of different threads depend on each other if they touch a common byte of the same space and one writes
 * it. A join reads the ends of all threads of `joins`; an end writes the span (ENDS, own number, 1).  Taking and giving
 * back a lock, waiting and signalling all write their object. */
struct operation {
    uint8_t kind;
    uint8_t waits; /* there are states in which it cannot be executed */
    uint8_t spans;
    struct span span[MOST_SPANS];
    thread_set joins;
    const void *pc; /* the place in the user's code: a return address */
};

struct finding {
    const char *kind; /* assertion, deadlock, race, crash, ...: docs/reference/json.md */
    char message[400];
    int thread;     /* -1: none in particular */
    const void *pc; /* where, in the user's code */
    const void *other_pc; /* of a race: the other access */
    int other;            /* of a race: its thread; else -1 */
    uintptr_t address;    /* of what was accessed, or 0 */
};

/* Back to the initial state; the first operation of main is pending then. */
void program_restart(void);
/* How many numbers were given to threads so far in this execution (living or not).  The same thread has the same number
 * in every execution in which it came to be by the same history. */
int program_threads(void);
/* The same over all executions so far. */
int program_threads_ever(void);
/* The next operation of a thread that lives, also if it has to wait; else NULL.  Valid until the next step. */
const struct operation *program_pending(int thread);
bool program_enabled(int thread);
/* How many outcomes the next operation of an enabled thread has now (toss, timed waits); depends only on what it reads.
 */
int program_choices(int thread);
/* The thread that a signal with this outcome would wake; -1 if it is no signal. */
int program_woken(int thread, int choice);
/* Execute the next operation of an enabled thread, up to its next visible one.  What went wrong on the way, or NULL;
 * after a finding nothing is pending any more, unless `program_goes_on` (a race that is only noted). */
const struct finding *program_step(int thread, int choice);
/* The situation of a thread whose next operation may be held back since a round would fail (await.h); else 0. */
int program_await(int thread);
/* The situation of a thread whose next operation is a read in a loop that may be one that waits; else 0.  Is it the
 * next one because of what the read before it saw, and of nothing else? */
int program_situation(int thread, bool *straight);
/* The same, however it came there: what it does next follows from that and from what it reads. */
int program_stand(int thread);
/* Has the place of a situation, or of a stand, another number by now, since more is known to count there? */
bool program_is_old(int situation);
/* One was seen to lead to another (or 0: to something else): does it, whenever a thread is there and reads the same?
 * No, if more counts for the next one, or has turned out to count, than for this one. */
bool program_leads(int situation, int next);
/* What it read plainly behind the last atomic read that it made in the loop, that others write; how many reads?  0: it
 * read no such thing, or something else, too. */
struct spin_read;
int program_plain_reads(int thread, const struct spin_read **reads);
/* What was in memory, before the last step, where the first span of its operation is. */
uint64_t program_seen(void);
/* Did the last step end a failed round?  Then it is not to be taken: the thread is held back from now on. */
bool program_failed_round(void);
/* Nothing is enabled, and these are only held back: the program is past this state afterwards. */
thread_set program_held(void);
/* After so many steps a thread that is held back has seen that its round fails. */
int program_round_steps(int thread);
/* One step of a thread that is held back, and what is enabled now if nobody is. */
void program_fail_round(int thread);
thread_set program_would_go_on(void);
/* Nothing is enabled: what is wrong with that, or NULL. */
const struct finding *program_stuck(void);
/* The process is a copy of another one: what belongs to one process only, and is not copied, is made again. */
void program_copied(void);
/* It changes with all that is found out and counts for other executions, or for the verdict. */
uint64_t program_knowledge(void);
/* Something was learnt in this execution that changes what is visible: the search has to start again from nothing. */
bool program_learnt(void);
/* More is known than when the search began that executions may have needed: is it to start again now?  `at_end`: it
 * would be over; else it may go on until starting again costs no more than what has come since. */
bool program_knows_more(bool at_end);

#endif
