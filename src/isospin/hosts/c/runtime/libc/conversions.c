/* Texts that are taken to pieces: words, numbers, times.  See announce.h. */
#include "libc/announce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

/* ---------------------------------------------------------------- words */

/* POSIX says what it does to each byte, so that it can be told exactly. */
static char *next_word(char *text, const char *between, char **rest, void **entry)
{
    reads_text(between, entry);
    WRITES(rest, sizeof *rest);
    if (!text)
        text = *rest;
    if (!text)
        return NULL;
    READS(text, strspn(text, between) + 1);
    char *word = text + strspn(text, between);
    if (!*word) {
        *rest = word;
        return NULL;
    }
    READS(word, strcspn(word, between) + 1);
    char *end = word + strcspn(word, between);
    *rest = end;
    if (*end) {
        WRITES(end, 1);
        *end = 0;
        *rest = end + 1;
    }
    return word;
}

/* SOUND: the text that strtok goes through is nobody's own: who uses it without an order races. */
EXPORT char *isospin_strtok(char *text, const char *between) { return next_word(text, between, &now.words, HERE); }

EXPORT char *isospin_strtok_r(char *text, const char *between, char **rest)
{
    return next_word(text, between, rest, HERE);
}

EXPORT char *isospin_strsep(char **text, const char *between)
{
    void **entry = HERE;
    reads_text(between, entry);
    WRITES(text, sizeof *text);
    char *word = *text;
    if (!word)
        return NULL;
    READS(word, strcspn(word, between) + 1);
    char *end = word + strcspn(word, between);
    *text = *end ? end + 1 : NULL;
    if (*end) {
        WRITES(end, 1);
        *end = 0;
    }
    return word;
}

/* ---------------------------------------------------------------- numbers */

/* What is read is the number and the byte behind it. */
#define NUMBER(type, name, parameters, arguments) \
    EXPORT type isospin_##name parameters \
    { \
        void **entry = HERE; \
        char *stop, **end = &stop; \
        (void)name arguments; \
        READS(text, (size_t)(stop - text) + 1); \
        end = where; \
        if (where) \
            WRITES(where, sizeof *where); \
        return name arguments; \
    }

NUMBER(long, strtol, (const char *text, char **where, int base), (text, end, base))
NUMBER(unsigned long, strtoul, (const char *text, char **where, int base), (text, end, base))
NUMBER(long long, strtoll, (const char *text, char **where, int base), (text, end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **where, int base), (text, end, base))
NUMBER(double, strtod, (const char *text, char **where), (text, end))
NUMBER(float, strtof, (const char *text, char **where), (text, end))
NUMBER(long double, strtold, (const char *text, char **where), (text, end))
NUMBER(intmax_t, strtoimax, (const char *text, char **where, int base), (text, end, base))
NUMBER(uintmax_t, strtoumax, (const char *text, char **where, int base), (text, end, base))

/* Headers give other names to functions that follow newer standards. */
#define ALSO(type, newer, name) EXPORT type isospin_##newer##_##name() __attribute__((alias("isospin_" #name)));
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

ALSO(long, isoc23, strtol)
ALSO(unsigned long, isoc23, strtoul)
ALSO(long long, isoc23, strtoll)
ALSO(unsigned long long, isoc23, strtoull)
ALSO(intmax_t, isoc23, strtoimax)
ALSO(uintmax_t, isoc23, strtoumax)

#define PLAIN_NUMBER(type, name) \
    EXPORT type isospin_##name(const char *text) \
    { \
        void **entry = HERE; \
        char *stop; \
        (void)strtod(text, &stop); \
        READS(text, (size_t)(stop - text) + 1); \
        return name(text); \
    }

PLAIN_NUMBER(int, atoi)
PLAIN_NUMBER(long, atol)
PLAIN_NUMBER(long long, atoll)
PLAIN_NUMBER(double, atof)

/* ---------------------------------------------------------------- scanning */

static size_t size_of_number(const char *flags, size_t size)
{
    if (memchr(flags, 'l', size) || memchr(flags, 'j', size) || memchr(flags, 'z', size) || memchr(flags, 't', size))
        return 8;
    const char *half = memchr(flags, 'h', size);
    return !half ? 4 : memchr(half + 1, 'h', size - (size_t)(half + 1 - flags)) ? 1 : 2;
}

static size_t scanned_text(const char *flags, size_t size, const void *to)
{
    return memchr(flags, 'l', size) ? (wcslen(to) + 1) * sizeof(wchar_t) : strlen(to) + 1;
}

static size_t scanned_letters(const char *flags, size_t size)
{
    size_t count = strtoul(flags, NULL, 10);
    return (count ? count : 1) * (memchr(flags, 'l', size) ? sizeof(wchar_t) : 1);
}

static size_t scanned_size(char conversion, const char *flags, size_t size, const void *to)
{
    bool allocates = memchr(flags, 'm', size) != NULL;
    switch (conversion) {
    case 's':
    case '[':
        return allocates ? sizeof(char *) : scanned_text(flags, size, to);
    case 'S':
        return allocates ? sizeof(char *) : scanned_text("l", 1, to);
    case 'c':
        return allocates ? sizeof(char *) : scanned_letters(flags, size);
    case 'p':
        return sizeof(void *);
    default:
        return memchr(flags, 'L', size) ? sizeof(long double) : size_of_number(flags, size);
    }
}

static const char *behind_set(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    return strchr(at, ']');
}

/* Tell what `count` conversions wrote, and those that count letters.  They did so already, which makes a difference
 * only to those who raced with it. */
static void scanned(const char *format, int count, va_list parts, void **entry)
{
    va_list rest;
    va_copy(rest, parts);
    for (const char *at = strchr(format, '%'); at; at = at ? strchr(at, '%') : NULL) {
        size_t size = strspn(++at, "*0123456789hlLqjztm");
        char conversion = at[size];
        if (conversion == '$')
            learn_incomplete("the program scans by positions of arguments, which are not looked at");
        if (conversion && conversion != '%' && !memchr(at, '*', size)) {
            if (conversion != 'n' && count-- <= 0)
                break;
            void *to = va_arg(rest, void *);
            WRITES(to, scanned_size(conversion, at, size, to));
        }
        at += size + (conversion != 0);
        if (conversion == '[')
            at = behind_set(at);
    }
    va_end(rest);
}

static int scan_text(const char *text, const char *format, va_list parts, void **entry)
{
    va_list again;
    va_copy(again, parts);
    reads_text(format, entry);
    reads_text(text, entry);
    int count = vsscanf(text, format, parts);
    scanned(format, count, again, entry);
    va_end(again);
    return count;
}

static int scan_stream(FILE *file, const char *format, va_list parts, void **entry)
{
    va_list again;
    va_copy(again, parts);
    reads_text(format, entry);
    use_stream(file, false, entry);
    int count = vfscanf(file, format, parts);
    scanned(format, count, again, entry);
    va_end(again);
    return count;
}

WITH_TWIN(sscanf, const char *text AND, scan_text(text, format, parts, entry))
WITH_TWIN(fscanf, FILE *file AND, scan_stream(file, format, parts, entry))
WITH_TWIN(scanf, , scan_stream(stdin, format, parts, entry))

ALSO(int, isoc99, sscanf)
ALSO(int, isoc99, fscanf)
ALSO(int, isoc99, scanf)
ALSO(int, isoc23, sscanf)
ALSO(int, isoc23, fscanf)
ALSO(int, isoc23, scanf)
ALSO(int, isoc99, vsscanf)
ALSO(int, isoc99, vfscanf)
ALSO(int, isoc99, vscanf)
ALSO(int, isoc23, vsscanf)
ALSO(int, isoc23, vfscanf)
ALSO(int, isoc23, vscanf)

/* ---------------------------------------------------------------- times */

/* SOUND: libc gives the same memory to all who ask: who asks without an order races. */
#define SHARED_TIME(name) \
    EXPORT struct tm *isospin_##name(const time_t *time) \
    { \
        void **entry = HERE; \
        READS(time, sizeof *time); \
        WRITES(name(time), sizeof(struct tm)); \
        return name(time); \
    } \
    EXPORT struct tm *isospin_##name##_r(const time_t *time, struct tm *result) \
    { \
        void **entry = HERE; \
        READS(time, sizeof *time); \
        WRITES(result, sizeof *result); \
        return name##_r(time, result); \
    }

SHARED_TIME(gmtime)
SHARED_TIME(localtime)

#define SHARED_TEXT(name, type) \
    EXPORT char *isospin_##name(const type *time) \
    { \
        void **entry = HERE; \
        READS(time, sizeof *time); \
        char *text = name(time); \
        if (text) \
            WRITES(text, strlen(text) + 1); \
        return text ? name(time) : text; \
    }

SHARED_TEXT(asctime, struct tm)
SHARED_TEXT(ctime, time_t)

#define TEXT_OF_TIME(name, type) \
    EXPORT char *isospin_##name(const type *time, char *to) \
    { \
        void **entry = HERE; \
        READS(time, sizeof *time); \
        WRITES(to, 26); \
        return name(time, to); \
    }

TEXT_OF_TIME(asctime_r, struct tm)
TEXT_OF_TIME(ctime_r, time_t)

EXPORT time_t isospin_mktime(struct tm *time)
{
    void **entry = HERE;
    WRITES(time, sizeof *time);
    return mktime(time);
}

EXPORT time_t isospin_timegm(struct tm *time)
{
    void **entry = HERE;
    WRITES(time, sizeof *time);
    return timegm(time);
}

EXPORT char *isospin_strptime(const char *text, const char *format, struct tm *time)
{
    void **entry = HERE;
    reads_text(text, entry);
    reads_text(format, entry);
    WRITES(time, sizeof *time);
    return strptime(text, format, time);
}

EXPORT size_t isospin_strftime(char *to, size_t most, const char *format, const struct tm *time)
{
    void **entry = HERE;
    reads_text(format, entry);
    READS(time, sizeof *time);
    WRITES(to, most); /* its content is not defined where the text ends */
    return strftime(to, most, format, time);
}

/* ---------------------------------------------------------------- the environment */

extern char **environ;

EXPORT char *isospin_getenv(const char *name)
{
    void **entry = HERE;
    reads_text(name, entry);
    READS(&environ, sizeof environ);
    return getenv(name);
}

EXPORT char *isospin_secure_getenv(const char *name)
{
    void **entry = HERE;
    reads_text(name, entry);
    READS(&environ, sizeof environ);
    return secure_getenv(name);
}

EXPORT int isospin_clearenv(void)
{
    void **entry = HERE;
    WRITES(&environ, sizeof environ);
    return clearenv();
}

static void changes_environment(const char *name, void **entry)
{
    reads_text(name, entry);
    WRITES(&environ, sizeof environ);
}

EXPORT int isospin_setenv(const char *name, const char *value, int over)
{
    changes_environment(name, HERE);
    reads_text(value, HERE);
    return setenv(name, value, over);
}

EXPORT int isospin_unsetenv(const char *name)
{
    changes_environment(name, HERE);
    return unsetenv(name);
}

EXPORT int isospin_putenv(char *text)
{
    changes_environment(text, HERE);
    return putenv(text);
}
