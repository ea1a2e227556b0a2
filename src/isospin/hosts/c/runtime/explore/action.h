/* Actions: a thread with an operation, each with a number, so that the search compares numbers.
 *
 * Two operations are the same if their kinds and all that they touch are; the place in the code does not count.
 */
#ifndef ISOSPIN_ACTION_H
#define ISOSPIN_ACTION_H

#include "explore/contract.h"

struct action {
    struct operation op;
    uint8_t thread;
    int32_t last;          /* the newest event of the trail with this action, or -1 */
    uint32_t *rivals;      /* the known actions of other threads that depend on it */
    unsigned count, room;
    uint32_t hash;
    int32_t object[MOST_SPANS]; /* numbers of the objects (SYNC) that its spans name; -1: none */
};

/* A lock or another object of synchronisation: who has it, as far as that follows from the events. */
enum { FREE = -1, UNDECIDED = -2 };

struct use {
    int32_t event;
    int32_t owner; /* before it */
};

struct object {
    uintptr_t address;
    int32_t owner; /* a thread, FREE or UNDECIDED */
    struct use *uses;
    unsigned count, room;
};

/* Before anything else; the tables are in the arena. */
void actions_open(void);
/* No event happened yet. */
void actions_reset(void);
/* An operation as it is called beyond this execution: with seats for addresses (libc/seats.c). */
const struct operation *lasting_operation(const struct operation *op, struct operation *room);
uint32_t action_number(int thread, const struct operation *op);
/* Valid until the next action_number. */
struct action *action(uint32_t number);
struct object *object(int32_t number);
unsigned action_count(void);

/* A join: no other order of events lets it pass without the ends that it names, so it races with nothing. */
bool action_joins(const struct action *action);
bool same_operation(const struct operation *a, const struct operation *b);
/* Of different threads: do they not commute, or can one make the other executable or not? */
bool dependent(const struct operation *a, const struct operation *b);
bool overlapping(const struct span *a, const struct span *b);

static inline thread_set only(int thread) { return (thread_set)1 << thread; }

/* The threads of a set. */
#define FOR_EACH(t, set) \
    for (thread_set rest_ = (set), t = 0; rest_ && (t = (thread_set)__builtin_ctzl(rest_), 1); rest_ &= rest_ - 1)

#endif
