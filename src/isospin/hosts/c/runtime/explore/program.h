/* What the exploration and Python may set and ask besides contract.h. */
#ifndef ISOSPIN_PROGRAM_H
#define ISOSPIN_PROGRAM_H

#include "explore/contract.h"

struct program_options {
    bool forked;       /* every execution has a process of its own: nothing to put back */
    bool note_races;   /* a race is no violation */
    bool leaks;        /* blocks that nobody freed at the end are a violation */
    bool reuse;        /* malloc may give back what was freed: a choice */
    unsigned spurious; /* wake-ups without a signal, for each thread */
    unsigned unroll;   /* how often a thread comes to the same operation of a loop; 0: no limit */
    unsigned time_outs; /* of timed waits, for each thread; then the verdict is incomplete */
    unsigned long long callbacks; /* in one step: more is a divergence */
    unsigned seconds;  /* of one step without any callback: more is a divergence */
};
extern struct program_options program_options;

/* Once, after arena_open: room for what will be learnt. */
void knowledge_open(void);
/* Before the last message: files that were changed are put back. */
void program_close(void);

/* The last step was cut off in the middle, since explore_is_over. */
extern bool program_cut_off;

/* Why the verdict cannot be "holds"; NULL: no reason. */
const char *program_incomplete(void);
/* The place of it in the user's code; NULL: nowhere in particular. */
const void *program_incomplete_at(void);
/* Why a process for each execution is needed; NULL: no reason.  To be asked after the first executions. */
const char *program_needs_fork(void);

/* What was learnt before this execution, as a list "learnt" of the current message; another process that is told the
 * same numbers, with commas between, numbers threads and sees operations in the same way. */
void program_learnt_message(void);
void program_know(const char *numbers);

/* Races that are only noted: how many pairs of places so far, and the i-th. */
int program_notes(void);
const struct finding *program_note(int i);

/* Atomic accesses weaker than seq_cst that can show behaviours which are no interleavings, as messages `weak`: where
 * the access is, the calls that led to it, how it is made, and the same of the access of another thread that nothing
 * orders. */
void program_weak_messages(void);
/* Is there one? */
bool program_is_weak(void);
/* Functions of libraries that were called while others could run and did what nobody saw, as messages `stranger`. */
void program_stranger_messages(void);
/* Where functions will go on whose variables other threads used, as messages `visit`; 0: any function. */
void program_visit_messages(void);
/* Behind a search, where main has started its threads: a message `families`, whether any two that were started with the
 * same function can be exchanged; if not, a message `alike` for each two of these, in order. */
void program_families(void);

#endif
