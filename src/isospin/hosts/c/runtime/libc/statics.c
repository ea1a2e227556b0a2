/* Functions of libc and libm that leave something in memory of their own, the same for all threads, or where they are
 * told to; and wide characters.  See announce.h.
 *
 * SOUND: who calls the former without an order races, whether or not it matters to the program. */
#include "libc/announce.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <wchar.h>

/* ---------------------------------------------------------------- signs, fractions, exponents */

#define SIGNED(type, name) \
    EXPORT type isospin_##name(type number) \
    { \
        void **entry = HERE; \
        WRITES(&signgam, sizeof signgam); \
        return name(number); \
    }

SIGNED(double, lgamma)
SIGNED(float, lgammaf)
SIGNED(long double, lgammal)

#define SPLITS(type, name, part) \
    EXPORT type isospin_##name(type number, part *to) \
    { \
        void **entry = HERE; \
        WRITES(to, sizeof *to); \
        return name(number, to); \
    }

SPLITS(double, frexp, int)
SPLITS(float, frexpf, int)
SPLITS(long double, frexpl, int)
SPLITS(double, modf, double)
SPLITS(float, modff, float)
SPLITS(long double, modfl, long double)

EXPORT int isospin_rand_r(unsigned *seed)
{
    void **entry = HERE;
    WRITES(seed, sizeof *seed);
    return rand_r(seed);
}

/* ---------------------------------------------------------------- options of the command */

static void next_option(void **entry)
{
    WRITES(&optind, sizeof optind);
    WRITES(&optarg, sizeof optarg);
    WRITES(&optopt, sizeof optopt);
    READS(&opterr, sizeof opterr);
}

EXPORT int isospin_getopt(int count, char *const *words, const char *known)
{
    next_option(HERE);
    return getopt(count, words, known);
}

#define LONG_OPTIONS(name) \
    EXPORT int isospin_##name(int count, char *const *words, const char *known, const struct option *more, int *which) \
    { \
        next_option(HERE); \
        return name(count, words, known, more, which); \
    }

LONG_OPTIONS(getopt_long)
LONG_OPTIONS(getopt_long_only)

/* ---------------------------------------------------------------- wide characters */

#define WIDE(count) ((count) * sizeof(wchar_t))

static void reads_wide(const wchar_t *text, void **entry) { READS(text, WIDE(wcslen(text) + 1)); }

EXPORT size_t isospin_wcslen(const wchar_t *text)
{
    reads_wide(text, HERE);
    return wcslen(text);
}

EXPORT wchar_t *isospin_wcscpy(wchar_t *to, const wchar_t *from)
{
    void **entry = HERE;
    reads_wide(from, entry);
    WRITES(to, WIDE(wcslen(from) + 1));
    return wcscpy(to, from);
}

EXPORT wchar_t *isospin_wcsncpy(wchar_t *to, const wchar_t *from, size_t most)
{
    void **entry = HERE;
    READS(from, WIDE(least(wcsnlen(from, most) + 1, most)));
    WRITES(to, WIDE(most));
    return wcsncpy(to, from, most);
}

EXPORT wchar_t *isospin_wcscat(wchar_t *to, const wchar_t *from)
{
    void **entry = HERE;
    reads_wide(from, entry);
    reads_wide(to, entry);
    WRITES(to + wcslen(to), WIDE(wcslen(from) + 1));
    return wcscat(to, from);
}

EXPORT int isospin_wcscmp(const wchar_t *first, const wchar_t *second)
{
    void **entry = HERE;
    reads_wide(first, entry);
    reads_wide(second, entry);
    return wcscmp(first, second);
}

EXPORT wchar_t *isospin_wcschr(const wchar_t *text, wchar_t letter)
{
    reads_wide(text, HERE);
    return wcschr(text, letter);
}

#define WIDE_COPY(name) \
    EXPORT wchar_t *isospin_##name(wchar_t *to, const wchar_t *from, size_t count) \
    { \
        void **entry = HERE; \
        READS(from, WIDE(count)); \
        WRITES(to, WIDE(count)); \
        return name(to, from, count); \
    }

WIDE_COPY(wmemcpy)
WIDE_COPY(wmemmove)

EXPORT wchar_t *isospin_wmemset(wchar_t *to, wchar_t letter, size_t count)
{
    void **entry = HERE;
    WRITES(to, WIDE(count));
    return wmemset(to, letter, count);
}

EXPORT int isospin_wmemcmp(const wchar_t *first, const wchar_t *second, size_t count)
{
    void **entry = HERE;
    READS(first, WIDE(count));
    READS(second, WIDE(count));
    return wmemcmp(first, second, count);
}
