/* Atomic operations: always visible.  Unless a memory model was asked for (graphs/), sequentially consistent for the
 * exploration; the given order counts for the question whether other accesses race, and whether there are more
 * behaviours than the exploration sees (race.c). There is one thread of the operating system: plain code is atomic.
 *
 * SOUND: if in all sequentially consistent executions two accesses that conflict, and that happens-before does not
 * order, are both seq_cst, then there are no other executions.  Boehm, Adve, PLDI 2008; Batty et al., POPL 2011 (C++11,
 * all accesses seq_cst); Lahav et al., PLDI 2017 (RC11, all that race). */
#include "explore/commute.h"
#include "graphs/history.h"
#include "pthread/orders.h"
#include "runtime.h"

#include <stdatomic.h>

/* Where the weaker orders themselves are explored, nothing is missing. */
static int weakness(int order)
{
    int base = order & 7;
    return memory_model > MEMORY_SC || base >= memory_order_seq_cst ? 0
                                                                    : (memory_order_seq_cst - base) << RACE_WEAK_SHIFT;
}

/* What is known after reading a value that was stored with release. */
static void after_load(const volatile void *address, int order)
{
    if (history_decides())
        history_read(order);
    else if (acquires(order))
        acquired(address);
    else if (running)
        race_relaxed_load(current->number, (uintptr_t)address);
}

/* SOUND: a store replaces what readers get to know; an older release must not order anything any more. */
static void before_store(const volatile void *address, int order)
{
    if (history_decides())
        history_write(order);
    else if (releases(order))
        released_only(address);
    else if (running)
        race_relaxed_store(current->number, (uintptr_t)address);
}

/* An update goes on with what others released there. */
static void before_update(const volatile void *address, int order)
{
    if (history_decides())
        history_write(order);
    else if (releases(order))
        released(address);
    else if (running)
        race_relaxed_update(current->number, (uintptr_t)address);
}

/* Behind what it acquires, since that comes before it, and before what it releases. */
static void check(const volatile void *address, size_t size, int how, int order)
{
    how |= RACE_ATOMIC | weakness(order);
    spin_how(how);
    if (running)
        check_race((uintptr_t)address, size, how, current->entry[1]);
}

static void load(const volatile void *address, size_t size, int order, void **entry)
{
    access_atomic((uintptr_t)address, size, OP_READ, entry);
    after_load(address, order);
    check(address, size, RACE_READ, order);
}

static void store(const volatile void *address, size_t size, int order, void **entry)
{
    access_atomic((uintptr_t)address, size, OP_WRITE, entry);
    check(address, size, RACE_WRITE, order);
    before_store(address, order);
}

static void update(const volatile void *address, size_t size, int order)
{
    after_load(address, order);
    check(address, size, RACE_WRITE | RACE_UPDATE, order);
    before_update(address, order);
}

/* A comparison that fails only reads, and its order is that of the failure. */
static void compared(const volatile void *address, size_t size, bool equal, int order, int failure)
{
    if (equal) {
        update(address, size, order);
        spin_effect();
    } else {
        after_load(address, failure);
        check(address, size, RACE_READ, failure);
    }
}

/* Nobody looks at what an update found: it releases, and learns nothing. */
static void change(const volatile void *address, size_t size, int order)
{
    if (history_decides() && !history_counts()) { /* its order is known */
        update(address, size, order);
        return;
    }
    forgot_order |= running && (acquires(order) || race_fences());
    check(address, size, RACE_WRITE | RACE_UPDATE, order);
    if (history_decides())
        history_write(order);
    else if (releases(order))
        released(address);
    else if (running)
        race_relaxed_change(current->number, (uintptr_t)address);
}

/* What an access finds, and what is in memory after a write. */
#define FOUND(type, otherwise) (history_decides() ? (type)cell_seen : (otherwise))
#define LEFT(type, otherwise) (history_decides() ? (type)cell_held : (otherwise))

/* The value that an operation will hand on.  SOUND: not in its frame meanwhile, where it would have to be the same for
 * two threads that are alike: it may be the number of a thread, and is compared as such (alike.c). */
#define HANDS_ON(type, value) \
    (current->put = (uint64_t)(value), current->hands_on = sizeof(type) <= sizeof current->put ? sizeof(type) : 0)
#define HANDED(type, value) (current->hands_on = 0, sizeof(type) <= sizeof current->put ? (type)current->put : (value))

#define UPDATE(bits, type, name, change_of, commutes, result) \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type value, int order) \
    { \
        enum commuting how = memory_model > MEMORY_SC ? COMMUTES_NEVER : commuting_at(commutes, HERE); \
        order = order_at(ACCESS_UPDATE, order, HERE); \
        history_describe_update(change_of, order, value, how); \
        if (change_of == EXCHANGES) \
            HANDS_ON(type, value); \
        spin_operands((uint64_t)value, (uint64_t)(value >> (sizeof(type) * 4))); \
        access_commuting((uintptr_t)address, sizeof(type), how, HERE); \
        (how ? change : update)(address, sizeof(type), order); \
        type old = FOUND(type, *address), new = (type)(result); \
        if (new != old) \
            spin_effect(); \
        *address = LEFT(type, new); \
        return old; \
    }

#define COMPARE(bits, type, name) \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type wanted, \
                                                             int order, int failure) \
    { \
        void **entry = HERE; \
        spin_expects((uint64_t)*expected, (uint64_t)wanted); \
        order = order_at(ACCESS_UPDATE, order, entry); \
        failure = order_of_failure(order, failure); \
        history_describe(COMPARES, order, failure, wanted, *expected); \
        current->expects = (uintptr_t)expected; \
        access_atomic((uintptr_t)address, sizeof(type), OP_UPDATE, entry); \
        current->expects = 0; \
        type old = FOUND(type, *address); \
        bool equal = old == *expected; \
        compared(address, sizeof(type), equal, order, failure); \
        if (equal) \
            *address = LEFT(type, wanted); \
        else \
            *expected = old; \
        return equal; \
    }

/* clang-format off */ /* macros one behind the other */
#define ATOMICS(bits, type) \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order) \
    { \
        order = order_at(ACCESS_LOAD, order, HERE); \
        history_describe(LOADS, order, order, 0, 0); \
        load(address, sizeof(type), order, HERE); \
        return FOUND(type, *address); \
    } \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order) \
    { \
        order = order_at(ACCESS_STORE, order, HERE); \
        history_describe(STORES, order, order, value, 0); \
        HANDS_ON(type, value); \
        store(address, sizeof(type), order, HERE); \
        type new = HANDED(type, value); \
        *address = LEFT(type, new); \
    } \
    UPDATE(bits, type, exchange, EXCHANGES, COMMUTES_NEVER, HANDED(type, value)) \
    UPDATE(bits, type, fetch_add, ADDS, COMMUTES_ADD, old + value) \
    UPDATE(bits, type, fetch_sub, SUBTRACTS, COMMUTES_ADD, old - value) \
    UPDATE(bits, type, fetch_and, ANDS, COMMUTES_AND, old & value) \
    UPDATE(bits, type, fetch_or, ORS, COMMUTES_OR, old | value) \
    UPDATE(bits, type, fetch_xor, XORS, COMMUTES_XOR, old ^ value) \
    UPDATE(bits, type, fetch_nand, NANDS, COMMUTES_NEVER, ~(old & value)) \
    COMPARE(bits, type, strong) \
    COMPARE(bits, type, weak) \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type wanted, \
                                                           int order, int failure) \
    { \
        void **entry = HERE; \
        spin_expects((uint64_t)expected, (uint64_t)wanted); \
        order = order_at(ACCESS_UPDATE, order, entry); \
        failure = order_of_failure(order, failure); \
        history_describe(COMPARES, order, failure, wanted, expected); \
        access_atomic((uintptr_t)address, sizeof(type), OP_UPDATE, entry); \
        type old = FOUND(type, *address); \
        compared(address, sizeof(type), old == expected, order, failure); \
        if (old == expected) \
            *address = LEFT(type, wanted); \
        return old; \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
/* clang-format on */
ATOMICS(128, unsigned __int128)

static void fence(int order, void **entry)
{
    if (!memory_model || !running)
        return;
    history_describe(LOADS, order, order, 0, 0);
    pend(OP_FENCE, entry);
    perform_reading(entry);
    spin_fence();
}

/* In `std::atomic::wait` and `notify_one` (isospin_control.hpp).  SOUND: C++ promises that who notifies after a store
 * is heard by who waits for it, whatever the order of the store; how a library does that is not the program's affair.
 * It orders nothing else, so it neither acquires nor releases. */
EXPORT void isospin_fence_of_waiting(void) { fence(ORDER_OF_WAITING, HERE); }

EXPORT void __tsan_atomic_thread_fence(int order)
{
    order = order_at(ACCESS_FENCE, order, HERE);
    fence(order, HERE);
    if (running)
        race_fence(current->number, acquires(order), releases(order));
}

EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }
