/* Time goes on when a process sleeps, and a little whenever it looks: a function of what the process itself did. */
#define _GNU_SOURCE
#include "runtime.h"

#include <sched.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ll
static int64_t now = 1700000000 * SECOND;

static int64_t look(void) { return now += 1000; }

EXPORT time_t time(time_t *where)
{
    time_t found = look() / SECOND;
    if (where)
        give(where, &found, sizeof found);
    return found;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *where)
{
    (void)clock;
    int64_t at = look();
    struct timespec found = {.tv_sec = at / SECOND, .tv_nsec = at % SECOND};
    give(where, &found, sizeof found);
    return 0;
}

EXPORT int gettimeofday(struct timeval *where, void *zone)
{
    (void)zone;
    int64_t at = look();
    struct timeval found = {.tv_sec = at / SECOND, .tv_usec = at % SECOND / 1000};
    give(where, &found, sizeof found);
    return 0;
}

EXPORT clock_t clock(void) { return (clock_t)((look() - 1700000000 * SECOND) / (SECOND / CLOCKS_PER_SEC)); }

EXPORT clock_t times(struct tms *where)
{
    struct tms found = {0};
    if (where)
        give(where, &found, sizeof found);
    return (clock_t)(look() / (SECOND / 100));
}

EXPORT unsigned sleep(unsigned seconds)
{
    now += seconds * SECOND;
    return 0;
}

EXPORT int usleep(useconds_t microseconds)
{
    now += microseconds * 1000ll;
    return 0;
}

EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)left;
    now += wanted->tv_sec * SECOND + wanted->tv_nsec;
    return 0;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    (void)clock;
    if (flags & TIMER_ABSTIME) {
        int64_t until = wanted->tv_sec * SECOND + wanted->tv_nsec;
        now = until > now ? until : now;
        return 0;
    }
    return nanosleep(wanted, left);
}

EXPORT int sched_yield(void) { return 0; }
