/* What is in memory where order is weak: of each atomic variable all writes of this execution, in modification order.
 *
 * An atomic access is given its source, or its place, by the choice of its step.  So whoever makes the steps (a search
 * over graphs, a replay) decides what is read, and native code does the rest.  The bytes in memory are those of the
 * last write in modification order: what a plain access finds that happens after all of them.
 *
 * Choices of a read or an update: SEES_LAST, SEES_INITIAL, or the name of a write.  Of a write: 0, it comes last, or
 * the name of the write that it comes just before.
 */
#ifndef ISOSPIN_HISTORY_H
#define ISOSPIN_HISTORY_H

#include "explore/contract.h"

enum memory_model { MEMORY_INTERLEAVED, MEMORY_SC, MEMORY_TSO, MEMORY_RC11 };
extern enum memory_model memory_model; /* MEMORY_INTERLEAVED: none of this is used */

typedef unsigned __int128 cell; /* the value of an atomic variable, zeros above its size */

enum change { /* of a value by an access */
              PLAIN,    /* it is no atomic access at all */
              LOADS,
              STORES,
              EXCHANGES,
              ADDS,
              SUBTRACTS,
              ANDS,
              ORS,
              XORS,
              NANDS,
              COMPARES
};

struct atomic { /* an atomic access, as it is asked for */
    uint8_t change, order, failure;
    uint8_t commutes; /* not 0: nobody looks at what it finds, and it commutes with others of the same number */
    cell operand, expected;
};

/* The order of a fence that is seq_cst, and neither acquires nor releases. */
enum { ORDER_OF_WAITING = 6 };

/* The write that is a thread's nth of that variable, from 0. */
static inline int name_of_write(int thread, int nth) { return FIRST_NAME + thread * NAMES_OF_THREAD + nth; }

/* From the environment: "sc", "tso", "rc11"; anything else: none. */
void history_open(const char *model);
/* An execution begins. */
void history_reset(void);

/* The current thread is about to make an access; told before `perform`. */
void history_describe(enum change change, int order, int failure, cell operand, cell expected);
/* The same of an update that may commute with others. */
void history_describe_update(enum change change, int order, cell operand, enum commuting how);
/* Is the access that is being made an addition to a counter (registers.h)? */
bool history_counts(void);
/* The variable that it is about.  SOUND: what it is now is its initial value, if nobody accessed it before: a plain
 * write that comes later races. */
void history_meet(uintptr_t from, size_t size);
/* Are there atomic variables among these bytes?  What is in them is no matter of any thread. */
bool history_covers(uintptr_t from, size_t size);
/* The one to which a byte belongs: where it begins; 0: none. */
uintptr_t history_variable(uintptr_t byte, size_t *size);
/* The access that is pending, if it is one of memory. */
const struct atomic *history_pending(int thread);
/* Does the access write if it finds this?  What, then? */
bool atomic_result(const struct atomic *access, size_t size, cell found, cell *written);

bool acquires(int order);
bool releases(int order);

/* The access is being made: what it finds is in `cell_seen` then. */
void history_enter(uintptr_t from, size_t size);
/* It reads (and learns), or writes, too; what is to stand in memory is in `cell_held` afterwards. */
void history_read(int order);
void history_write(int order);
extern cell cell_seen, cell_held;
bool history_chosen(void);

/* What the last step did to an atomic variable, for people: address, size, life, the order that was asked for, what it
 * saw and its value, what it wrote and its value; then for each write that is newer than what it saw its name and
 * value. Values are the lower 8 bytes; instead of a name: SEES_INITIAL, or -1, nothing.  How many numbers there are; 0:
 * it was no such access. */
enum { MOST_SEEN = 32 };
int history_seen(long long seen[MOST_SEEN]);
void history_begin_step(void);

/* Does a choice decide what the current access finds? */
static inline bool history_decides(void) { return memory_model && history_chosen(); }

/* A plain write: if there is an atomic variable, it begins a new life.  SOUND: where nothing races, the write happens
 * after all accesses of the old life and before all of the new one. */
void history_renew(uintptr_t from, size_t size);
/* What is in memory is looked at: by a plain read, which happens after all writes where nothing races, or by a thread
 * that would wait for ever.  SOUND: it shows the last of the writes. */
void history_look(uintptr_t from, size_t size);
/* Was this its value by now, at any time in this execution? */
bool history_had(uintptr_t from, size_t size, uint64_t value);
/* How many lives the variable there has had. */
int history_life(uintptr_t from);
/* What it was when it was first accessed in this life; if it was not: what it is. */
cell history_initial(uintptr_t from, size_t size);

#endif
