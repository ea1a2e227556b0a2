/* The calls that the compiler puts in front of accesses: how many bytes the next access touches (memory.c). */
#include "runtime.h"

#define PLAIN(size) \
    EXPORT void __tsan_read##size(void *at) { expect(at, size, READS); } \
    EXPORT void __tsan_write##size(void *at) { expect(at, size, WRITES); } \
    EXPORT void __tsan_unaligned_read##size(void *at) { expect(at, size, READS); } \
    EXPORT void __tsan_unaligned_write##size(void *at) { expect(at, size, WRITES); } \
    EXPORT void __tsan_volatile_read##size(void *at) { expect(at, size, READS); } \
    EXPORT void __tsan_volatile_write##size(void *at) { expect(at, size, WRITES); } \
    EXPORT void __tsan_read##size##_pc(void *at, void *pc) { (void)pc, expect(at, size, READS); } \
    EXPORT void __tsan_write##size##_pc(void *at, void *pc) { (void)pc, expect(at, size, WRITES); } \
    EXPORT void __tsan_read_write##size(void *at) { expect(at, size, READS); } \
    EXPORT void __tsan_unaligned_read_write##size(void *at) { expect(at, size, READS); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

/* A range is copied by more than one instruction: each will tell for itself. */
EXPORT void __tsan_read_range(void *at, size_t size) { (void)at, (void)size; }
EXPORT void __tsan_write_range(void *at, size_t size) { (void)at, (void)size; }
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
EXPORT void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
EXPORT void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
EXPORT void __tsan_func_entry(void *pc) { (void)pc; }
EXPORT void __tsan_func_exit(void) {}
EXPORT void __tsan_init(void) {}
EXPORT void __tsan_vptr_update(void **at, void *value) { (void)value, expect(at, 8, WRITES); }
EXPORT void __tsan_vptr_read(void **at) { expect(at, 8, READS); }
EXPORT void __tsan_ignore_thread_begin(void) {}
EXPORT void __tsan_ignore_thread_end(void) {}
EXPORT void __tsan_atomic_thread_fence(int order) { (void)order; }

EXPORT void isospin_fence_of_waiting(void) {}
EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }

/* Every atomic operation is one instruction here, or a loop around one. */
/* clang-format off */ /* macros one behind the other */
#define BITWISE(bits, type, name, expression) \
    EXPORT type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
    { \
        for (;;) { \
            expect_atomic(at, sizeof(type), READS, order); \
            type old = __atomic_load_n(at, __ATOMIC_SEQ_CST), expected = old; \
            expect_atomic(at, sizeof(type), UPDATES, order); \
            if (__atomic_compare_exchange_n(at, &expected, expression, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
                return old; \
        } \
    }

#define ATOMICS(bits, type) \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *at, int order) \
    { \
        expect_atomic(at, sizeof(type), READS, order); \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST); \
    } \
    EXPORT void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    { \
        expect_atomic(at, sizeof(type), UPDATES, order); \
        __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); \
    } \
    EXPORT type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
    { \
        expect_atomic(at, sizeof(type), UPDATES, order); \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); \
    } \
    EXPORT type __tsan_atomic##bits##_fetch_add(volatile type *at, type value, int order) \
    { \
        expect_atomic(at, sizeof(type), UPDATES, order); \
        return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); \
    } \
    EXPORT type __tsan_atomic##bits##_fetch_sub(volatile type *at, type value, int order) \
    { \
        expect_atomic(at, sizeof(type), UPDATES, order); \
        return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST); \
    } \
    BITWISE(bits, type, and, old & value) BITWISE(bits, type, or, old | value) BITWISE(bits, type, xor, old ^ value) \
    BITWISE(bits, type, nand, (type)~(old & value)) \
    EXPORT int __tsan_atomic##bits##_compare_exchange_strong( \
        volatile type *at, type *expected, type value, int order, int failing) \
    { \
        type wanted = *expected, found = wanted; \
        expect_atomic(at, sizeof(type), UPDATES, (order & 7) < (failing & 7) ? order : failing); \
        bool done = __atomic_compare_exchange_n(at, &found, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        if (!done) \
            *expected = found; \
        return done; \
    } \
    EXPORT int __tsan_atomic##bits##_compare_exchange_weak( \
        volatile type *at, type *expected, type value, int order, int failing) \
    { \
        return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, order, failing); \
    } \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val( \
        volatile type *at, type expected, type value, int order, int failing) \
    { \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, failing); \
        return expected; \
    }
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
    /* clang-format on */
