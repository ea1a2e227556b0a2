/* Real time, which the program under control never sees: asked from the kernel, behind all that is interposed. */
#ifndef ISOSPIN_STOPWATCH_H
#define ISOSPIN_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

static inline double seconds_now(void)
{
    struct timespec now;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&now)
                     : "rcx", "r11", "memory");
    return result < 0 ? 0 : (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline uint64_t cycles_now(void) { return __builtin_ia32_rdtsc(); }

/* A cheap question: is it worth to ask for the time again? */
static inline bool clock_moved(void)
{
    static uint64_t last;
    uint64_t now = cycles_now();
    if (now - last < 1 << 20)
        return false;
    last = now;
    return true;
}

#endif
