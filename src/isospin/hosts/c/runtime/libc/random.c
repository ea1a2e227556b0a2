/* Random numbers: generators of our own that begin alike in every execution.  Those that threads share are objects
 * whose order of use counts. */
#include "system/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t step(uint64_t *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    uint64_t x = *state ^ *state >> 33;
    return x * 0xff51afd7ed558ccdul >> 1;
}

static long shared(void **entry)
{
    hidden(hidden_number(RANDOM_NUMBERS), true, entry);
    return (long)(step(&now.random) >> 32 & 0x7fffffff);
}

static void seed(unsigned value, void **entry)
{
    hidden(hidden_number(RANDOM_NUMBERS), true, entry);
    now.random = value;
}

EXPORT int rand(void) { return (int)shared(HERE); }

EXPORT long random(void) { return shared(HERE); }

EXPORT long lrand48(void) { return shared(HERE); }

EXPORT long mrand48(void) { return (int)((unsigned long)shared(HERE) << 1); }

EXPORT double drand48(void) { return (double)shared(HERE) / 0x80000000ul; }

EXPORT void srand(unsigned value) { seed(value, HERE); }

EXPORT void srandom(unsigned value) { seed(value, HERE); }

EXPORT void srand48(long value) { seed((unsigned)value, HERE); }

/* ---------------------------------------------------------------- from the system: each thread has its own */

static void fill(void *to, size_t size, void **entry)
{
    access_memory((uintptr_t)to, size, true, entry);
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)(step(&current->random) >> 24);
}

EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags;
    fill(to, size, HERE);
    return (ssize_t)size;
}

EXPORT int getentropy(void *to, size_t size)
{
    fill(to, size, HERE);
    return 0;
}

EXPORT uint32_t arc4random(void) { return (uint32_t)(step(&current->random) >> 24); }

EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
    return bound ? (uint32_t)(step(&current->random) >> 24) % bound : 0;
}

EXPORT void arc4random_buf(void *to, size_t size) { fill(to, size, HERE); }

/* std::random_device */
EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    (void)device;
    return (unsigned)(step(&current->random) >> 24);
}
