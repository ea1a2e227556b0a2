/* Time is virtual: each thread has a clock of its own that moves only while it sleeps or waits in vain, so that what it
 * reads depends on its own history alone. */
#include "pthread/sync.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

enum { BILLION = 1000000000 };
static const time_t first_second = 1767225600; /* a new year: any fixed time would do */

static struct timespec at(uint64_t slept)
{
    return (struct timespec){first_second + (time_t)(slept / BILLION), (long)(slept % BILLION)};
}

struct timespec time_at_start(void) { return at(0); }

/* What a thread that was joined slept counts, so joins come first. */
static struct timespec now_of(void **entry)
{
    settle(entry);
    return at(current->slept);
}

static uint64_t nanoseconds(const struct timespec *length)
{
    return (uint64_t)length->tv_sec * BILLION + (uint64_t)length->tv_nsec;
}

struct timespec time_after(const struct timespec *length) { return at(current->slept + nanoseconds(length)); }

static void sleep_for(uint64_t nanoseconds, void **entry)
{
    if (!running)
        return;
    if (!spin_only_looks()) {
        pend(OP_SLEEP, entry);
        perform();
    }
    current->slept += nanoseconds;
}

/* ---------------------------------------------------------------- waiting in vain */

bool is_time(const struct timespec *until) { return until->tv_nsec >= 0 && until->tv_nsec < BILLION; }

bool may_time_out(const struct thread *thread) { return thread->time_outs < program_options.time_outs; }

void timed_out(const struct timespec *until)
{
    current->time_outs++;
    uint64_t then = (uint64_t)(until->tv_sec - first_second) * BILLION + (uint64_t)until->tv_nsec;
    if (until->tv_sec >= first_second && then > current->slept)
        current->slept = then;
}

void note_time_outs(void)
{
    if (running && !may_time_out(current))
        learn_incomplete("a thread waits with time-outs more often than they were tried (--time-outs)");
}

/* ---------------------------------------------------------------- reading clocks */

EXPORT int clock_gettime(clockid_t clock, struct timespec *result)
{
    (void)clock;
    access_memory((uintptr_t)result, sizeof *result, true, HERE);
    *result = now_of(HERE);
    return 0;
}

EXPORT int clock_getres(clockid_t clock, struct timespec *result)
{
    (void)clock;
    if (result)
        *result = (struct timespec){0, 1};
    return 0;
}

EXPORT int timespec_get(struct timespec *result, int base)
{
    access_memory((uintptr_t)result, sizeof *result, true, HERE);
    *result = now_of(HERE);
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict result, void *restrict zone)
{
    (void)zone;
    struct timespec time = now_of(HERE);
    access_memory((uintptr_t)result, sizeof *result, true, HERE);
    *result = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

EXPORT time_t time(time_t *result)
{
    time_t seconds = now_of(HERE).tv_sec;
    if (result) {
        access_memory((uintptr_t)result, sizeof *result, true, HERE);
        *result = seconds;
    }
    return seconds;
}

EXPORT clock_t clock(void)
{
    settle(HERE);
    return (clock_t)(current->slept / (BILLION / CLOCKS_PER_SEC));
}

/* Nobody has used any processor time. */
EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
    (void)who;
    access_memory((uintptr_t)usage, sizeof *usage, true, HERE);
    memset(usage, 0, sizeof *usage);
    return 0;
}

EXPORT clock_t times(struct tms *used)
{
    settle(HERE);
    if (used) {
        access_memory((uintptr_t)used, sizeof *used, true, HERE);
        memset(used, 0, sizeof *used);
    }
    return (clock_t)(current->slept / (BILLION / 100));
}

/* ---------------------------------------------------------------- sleeping */

int sleep_timespec(const struct timespec *wanted, void **entry)
{
    access_memory((uintptr_t)wanted, sizeof *wanted, false, entry);
    if (wanted->tv_sec < 0 || !is_time(wanted))
        return EINVAL;
    sleep_for(nanoseconds(wanted), entry);
    return 0;
}

EXPORT int nanosleep(const struct timespec *wanted, struct timespec *rest)
{
    (void)rest;
    int error = sleep_timespec(wanted, HERE);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest)
{
    (void)clock, (void)rest;
    void **entry = HERE;
    if (!(flags & TIMER_ABSTIME))
        return sleep_timespec(wanted, entry);
    access_memory((uintptr_t)wanted, sizeof *wanted, false, entry);
    uint64_t then = (uint64_t)(wanted->tv_sec - first_second) * BILLION + (uint64_t)wanted->tv_nsec;
    bool later = wanted->tv_sec >= first_second && then > current->slept;
    sleep_for(later ? then - current->slept : 0, entry);
    return 0;
}

EXPORT unsigned sleep(unsigned seconds)
{
    sleep_for((uint64_t)seconds * BILLION, HERE);
    return 0;
}

EXPORT int usleep(useconds_t microseconds)
{
    sleep_for((uint64_t)microseconds * 1000, HERE);
    return 0;
}

void yield(void **entry)
{
    if (running && !spin_only_looks()) {
        pend(OP_YIELD, entry);
        perform();
    }
}

EXPORT int sched_yield(void)
{
    yield(HERE);
    return 0;
}
