/* Atomic operations: always visible, always sequentially consistent for the exploration; the given order counts for the
 * question whether other accesses race.  There is one thread of the operating system: plain code is atomic. */
#include "runtime.h"

#include <stdatomic.h>

static bool acquires(int order)
{
    return order != memory_order_relaxed && order != memory_order_release;
}

static bool releases(int order)
{
    return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

/* What is known after reading a value that was stored with release. */
static void after_load(const volatile void *address, int order)
{
    if (acquires(order))
        acquired(address);
    else if (running)
        race_relaxed_load(current->number, (uintptr_t)address);
}

/* SOUND: a store replaces what readers get to know; an older release must not order anything any more. */
static void before_store(const volatile void *address, int order)
{
    if (releases(order))
        released_only(address);
    else if (running)
        race_relaxed_store(current->number, (uintptr_t)address);
}

/* An update goes on with what others released there. */
static void at_update(const volatile void *address, int order)
{
    after_load(address, order);
    if (releases(order))
        released(address);
    else if (running)
        race_relaxed_update(current->number, (uintptr_t)address);
}

static void update(volatile void *address, size_t size, int order, void **entry)
{
    access_atomic((uintptr_t)address, size, OP_UPDATE, entry);
    at_update(address, order);
}

#define UPDATE(bits, type, name, result) \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type value, int order) \
    { \
        update(address, sizeof(type), order, HERE); \
        type old = *address, new = (type)(result); \
        if (new != old) \
            spin_effect(); \
        *address = new; \
        return old; \
    }

#define COMPARE(bits, type, name) \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type wanted, \
                                                             int order, int failure) \
    { \
        void **entry = HERE; \
        access_atomic((uintptr_t)address, sizeof(type), OP_UPDATE, entry); \
        if (*address == *expected) { \
            at_update(address, order); \
            spin_effect(); \
            *address = wanted; \
            return 1; \
        } \
        after_load(address, failure); \
        *expected = *address; \
        return 0; \
    }

#define ATOMICS(bits, type) \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order) \
    { \
        access_atomic((uintptr_t)address, sizeof(type), OP_READ, HERE); \
        after_load(address, order); \
        return *address; \
    } \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order) \
    { \
        access_atomic((uintptr_t)address, sizeof(type), OP_WRITE, HERE); \
        before_store(address, order); \
        *address = value; \
    } \
    UPDATE(bits, type, exchange, value) \
    UPDATE(bits, type, fetch_add, old + value) \
    UPDATE(bits, type, fetch_sub, old - value) \
    UPDATE(bits, type, fetch_and, old & value) \
    UPDATE(bits, type, fetch_or, old | value) \
    UPDATE(bits, type, fetch_xor, old ^ value) \
    UPDATE(bits, type, fetch_nand, ~(old & value)) \
    COMPARE(bits, type, strong) \
    COMPARE(bits, type, weak) \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type wanted, int order, \
                                                           int failure) \
    { \
        void **entry = HERE; \
        access_atomic((uintptr_t)address, sizeof(type), OP_UPDATE, entry); \
        type old = *address; \
        if (old == expected) { \
            at_update(address, order); \
            spin_effect(); \
            *address = wanted; \
        } else { \
            after_load(address, failure); \
        } \
        return old; \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, unsigned __int128)

EXPORT void __tsan_atomic_thread_fence(int order)
{
    if (running)
        race_fence(current->number, acquires(order), releases(order));
}

EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
