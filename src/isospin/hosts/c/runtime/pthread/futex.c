/* The call of Linux by which C++ waits: futures, `std::atomic::wait`, latches, semaphores.  Who waits is written in the
 * threads' records, as for condition variables; the order between threads comes from the atomic variable itself.
 *
 * To look at the word and to lie down is one step.  Over execution graphs, a step is either an access, whose source the
 * search decides, or an operation on objects; there it is done as the kernel does it, with a lock: *entering*, looking,
 * and lying down or leaving.  Nobody is woken while somebody is inside.
 *
 * SOUND: the kernel's lock orders, and a full fence stands before its look.  So whoever enters behind a wake-up sees
 * what was stored before that, and the look is seq_cst.  What a thread reads behind a wait is not ordered by the look:
 * as for interleavings, it has to read the variable itself. */
#include "graphs/history.h"
#include "pthread/sync.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>

long refused(const char *name); /* outside.c */

/* How things are with a thread at a word (`signalled`). */
enum { ASLEEP, WOKEN, ENTERING };

/* ---------------------------------------------------------------- the kernel's lock, over execution graphs */

static bool nobody_enters(const struct thread *thread)
{
    for (int i = 0; i < now.threads; i++)
        if (thread_of(i)->life == LIVING && thread_of(i)->waits_for == thread->object &&
            thread_of(i)->signalled == ENTERING)
            return false;
    return true;
}

static void enter(const uint32_t *word, void **entry)
{
    perform_waiting(OP_LOCK, (void *)word, nobody_enters, entry);
    acquired(word);
    current->waits_for = (uintptr_t)word;
    current->signalled = ENTERING;
    spin_effect();
}

static uint32_t look(const uint32_t *word, void **entry)
{
    history_describe(LOADS, memory_order_seq_cst, memory_order_seq_cst, 0, 0);
    access_atomic((uintptr_t)word, sizeof *word, OP_READ, entry);
    if (!history_decides())
        return *word;
    history_read(memory_order_relaxed);
    return (uint32_t)cell_seen;
}

static void go(enum operation_kind kind, const uint32_t *word)
{
    perform_on(kind, (void *)word, current->entry);
    released(word);
    current->waits_for = current->signalled = 0;
}

/* ---------------------------------------------------------------- waiting */

static bool woken(const struct thread *thread)
{
    return thread->signalled || (thread->operation.kind == OP_TIMED_WAKE && may_time_out(thread));
}

static int sleep_at(const uint32_t *word, const struct timespec *until, void **entry)
{
    current->waits_for = (uintptr_t)word;
    if (until)
        note_time_outs();
    struct operation *operation = pend(until ? OP_TIMED_WAKE : OP_WAKE, entry);
    touch(operation, SYNC, (uintptr_t)word, 1, true, true);
    operation->waits = true;
    current->object = (uintptr_t)word;
    current->ready = woken;
    perform();
    bool signalled = current->signalled;
    current->waits_for = current->signalled = 0;
    if (memory_model)
        acquired(word);
    if (!signalled)
        timed_out(until);
    return signalled ? 0 : ETIMEDOUT;
}

static int wait_inside(const uint32_t *word, uint32_t expected, const struct timespec *until, void **entry)
{
    enter(word, entry);
    uint32_t found_there = look(word, current->entry);
    check_race((uintptr_t)word, sizeof *word, RACE_ATOMIC | RACE_READ, current->entry[1]);
    go(found_there == expected ? OP_WAIT : OP_UNLOCK, word);
    return found_there == expected ? sleep_at(word, until, current->entry) : EAGAIN;
}

static int wait(const uint32_t *word, uint32_t expected, const struct timespec *until, void **entry)
{
    check_alive((uintptr_t)word, sizeof *word, false, entry[1]);
    if (memory_model && running)
        return wait_inside(word, expected, until, entry);
    struct operation *operation = pend(OP_WAIT, entry);
    touch(operation, SYNC, (uintptr_t)word, 1, true, false);
    touch(operation, MEMORY, (uintptr_t)word, sizeof *word, false, false);
    perform();
    entry = current->entry;
    check_alive((uintptr_t)word, sizeof *word, false, entry[1]);
    check_race((uintptr_t)word, sizeof *word, RACE_ATOMIC | RACE_READ, entry[1]);
    return *word == expected ? sleep_at(word, until, entry) : EAGAIN;
}

/* ---------------------------------------------------------------- waking */

static bool waits_at(const struct thread *thread, uintptr_t word)
{
    return thread->life == LIVING && thread->waits_for == word && thread->signalled == ASLEEP;
}

static int sleepers(const struct thread *thread)
{
    int count = 0;
    for (int i = 0; i < now.threads; i++)
        count += waits_at(thread_of(i), thread->object);
    return count;
}

static int which(const struct thread *thread)
{
    int count = sleepers(thread);
    return count ? count : 1;
}

/* One, whom the search chooses, or all: nobody asks for a number in between. */
static long wake(const uint32_t *word, int most, void **entry)
{
    touch(pend(most == 1 ? OP_SIGNAL : OP_BROADCAST, entry), SYNC, (uintptr_t)word, 1, true, false);
    current->object = (uintptr_t)word;
    current->outcomes = most == 1 ? which : NULL;
    current->ready = nobody_enters;
    int choice = perform(), count = 0, seen = 0;
    if (memory_model) {
        acquired(word);
        released(word);
    }
    for (int i = 0; i < now.threads; i++)
        if (waits_at(thread_of(i), (uintptr_t)word) && (most > 1 || seen++ == choice)) {
            thread_of(i)->signalled = WOKEN;
            count++;
        }
    return count;
}

/* ---------------------------------------------------------------- the call */

static long failed(int error)
{
    if (error)
        errno = error;
    return error ? -1 : 0;
}

long futex(const long *words, void **entry)
{
    const uint32_t *word = (const uint32_t *)words[0];
    const struct timespec *time = (const struct timespec *)words[3];
    int number = (int)words[2];
    switch (words[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
        if (!time)
            return failed(wait(word, (uint32_t)number, NULL, entry));
        struct timespec until = (words[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? time_after(time) : *time;
        return failed(wait(word, (uint32_t)number, &until, entry));
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return number == 1 || number == INT_MAX ? wake(word, number, entry)
                                                : refused("futex (for some of those who wait)");
    default:
        return refused("futex (more than wait and wake)");
    }
}

static long real(long number, const long *words)
{
    register long fourth __asm__("r10") = words[3], fifth __asm__("r8") = words[4], sixth __asm__("r9") = words[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result < 0 && result > -4096 ? failed((int)-result) : result;
}

#define SIX_WORDS(words, last) \
    long words[6]; \
    va_list parts; \
    va_start(parts, last); \
    for (int i = 0; i < 6; i++) \
        words[i] = va_arg(parts, long); \
    va_end(parts)

/* Of libraries, and of the runtime itself. */
EXPORT long syscall(long number, ...)
{
    SIX_WORDS(words, number);
    return running && number == SYS_futex ? futex(words, HERE) : real(number, words);
}

/* Of the program (by renames.txt). */
EXPORT long isospin_syscall(long number, ...)
{
    SIX_WORDS(words, number);
    if (number == SYS_gettid)
        return current->number + 1;
    return running && number == SYS_futex ? futex(words, HERE) : refused("syscall");
}
