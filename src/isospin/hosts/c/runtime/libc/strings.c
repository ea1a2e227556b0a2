/* Blocks of bytes, texts, printing, sorting.  See announce.h. */
#include "libc/announce.h"
#include "wire/outcomes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---------------------------------------------------------------- blocks of bytes */

static void *copy(void *to, const void *from, size_t size, void **entry)
{
    READS(from, size);
    WRITES(to, size);
    return memmove(to, from, size);
}

static void *fill(void *to, int byte, size_t size, void **entry)
{
    WRITES(to, size);
    return memset(to, byte, size);
}

EXPORT void *isospin_memcpy(void *to, const void *from, size_t size) { return copy(to, from, size, HERE); }

EXPORT void *isospin_memmove(void *to, const void *from, size_t size) { return copy(to, from, size, HERE); }

EXPORT void *isospin_memset(void *to, int byte, size_t size) { return fill(to, byte, size, HERE); }

/* clang calls these by itself. */
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size) { return copy(to, from, size, HERE); }

EXPORT void *__tsan_memmove(void *to, const void *from, size_t size) { return copy(to, from, size, HERE); }

EXPORT void *__tsan_memset(void *to, int byte, size_t size) { return fill(to, byte, size, HERE); }

EXPORT void *isospin_mempcpy(void *to, const void *from, size_t size)
{
    return (char *)copy(to, from, size, HERE) + size;
}

EXPORT void isospin_bzero(void *to, size_t size) { fill(to, 0, size, HERE); }

EXPORT int isospin_memcmp(const void *a, const void *b, size_t size)
{
    void **entry = HERE;
    READS(a, size);
    READS(b, size);
    return memcmp(a, b, size);
}

EXPORT void *isospin_memchr(const void *from, int byte, size_t size)
{
    void **entry = HERE;
    void *place = memchr(from, byte, size);
    READS(from, place ? (size_t)((char *)place - (char *)from) + 1 : size);
    return memchr(from, byte, size);
}

EXPORT void *isospin_memrchr(const void *from, int byte, size_t size)
{
    void **entry = HERE;
    READS(from, size);
    return memrchr(from, byte, size);
}

EXPORT void *isospin_memmem(const void *from, size_t size, const void *part, size_t part_size)
{
    void **entry = HERE;
    READS(from, size);
    READS(part, part_size);
    return memmem(from, size, part, part_size);
}

EXPORT void *isospin_memccpy(void *to, const void *from, int byte, size_t most)
{
    void **entry = HERE;
    void *place = memchr(from, byte, most);
    size_t size = place ? (size_t)((char *)place - (char *)from) + 1 : most;
    copy(to, from, size, entry);
    return place ? (char *)to + size : NULL;
}

EXPORT void isospin_explicit_bzero(void *to, size_t size) { fill(to, 0, size, HERE); }

/* ---------------------------------------------------------------- texts */

EXPORT size_t isospin_strlen(const char *text)
{
    reads_text(text, HERE);
    return strlen(text);
}

EXPORT size_t isospin_strnlen(const char *text, size_t most)
{
    void **entry = HERE;
    READS(text, least(strnlen(text, most) + 1, most));
    return strnlen(text, most);
}

EXPORT char *isospin_strcpy(char *to, const char *from)
{
    void **entry = HERE;
    reads_text(from, entry);
    WRITES(to, strlen(from) + 1);
    return strcpy(to, from);
}

EXPORT char *isospin_stpcpy(char *to, const char *from)
{
    void **entry = HERE;
    reads_text(from, entry);
    WRITES(to, strlen(from) + 1);
    return stpcpy(to, from);
}

EXPORT char *isospin_strncpy(char *to, const char *from, size_t most)
{
    void **entry = HERE;
    READS(from, least(strnlen(from, most) + 1, most));
    WRITES(to, most);
    return strncpy(to, from, most);
}

EXPORT char *isospin_strcat(char *to, const char *from)
{
    void **entry = HERE;
    reads_text(from, entry);
    reads_text(to, entry);
    WRITES(to + strlen(to), strlen(from) + 1);
    return strcat(to, from);
}

EXPORT char *isospin_strncat(char *to, const char *from, size_t most)
{
    void **entry = HERE;
    READS(from, least(strnlen(from, most) + 1, most));
    reads_text(to, entry);
    WRITES(to + strlen(to), strnlen(from, most) + 1);
    return strncat(to, from, most);
}

EXPORT char *isospin_strchrnul(const char *text, int byte)
{
    reads_text(text, HERE);
    return strchrnul(text, byte);
}

EXPORT char *isospin_strchr(const char *text, int byte)
{
    reads_text(text, HERE);
    return strchr(text, byte);
}

EXPORT char *isospin_strrchr(const char *text, int byte)
{
    reads_text(text, HERE);
    return strrchr(text, byte);
}

EXPORT char *isospin_strdup(const char *text)
{
    void **entry = HERE;
    reads_text(text, entry);
    size_t size = strlen(text) + 1;
    char *result = allocate(size, 16, entry[1]);
    return result ? copy(result, text, size, entry) : NULL;
}

EXPORT char *isospin_strndup(const char *text, size_t most)
{
    void **entry = HERE;
    READS(text, least(strnlen(text, most) + 1, most));
    size_t size = strnlen(text, most);
    char *result = allocate(size + 1, 16, entry[1]);
    if (!result)
        return NULL;
    copy(result, text, size, entry);
    result[size] = 0;
    return result;
}

/* Two texts, nothing but read. */
#define LOOKS(type, name) \
    EXPORT type isospin_##name(const char *a, const char *b) \
    { \
        void **entry = HERE; \
        reads_text(a, entry); \
        reads_text(b, entry); \
        return name(a, b); \
    }

LOOKS(char *, strstr)
LOOKS(char *, strcasestr)
LOOKS(char *, strpbrk)
LOOKS(size_t, strspn)
LOOKS(size_t, strcspn)
LOOKS(int, strcmp)
LOOKS(int, strcasecmp)
LOOKS(int, strcoll)

#define LOOKS_AT_MOST(name) \
    EXPORT int isospin_##name(const char *a, const char *b, size_t most) \
    { \
        void **entry = HERE; \
        READS(a, least(strnlen(a, most) + 1, most)); \
        READS(b, least(strnlen(b, most) + 1, most)); \
        return name(a, b, most); \
    }

LOOKS_AT_MOST(strncmp)
LOOKS_AT_MOST(strncasecmp)

/* ---------------------------------------------------------------- printing: texts that are printed are read */

/* Step over one argument of the given conversion; tell a text. */
static void argument(char conversion, const char *flags, size_t size, va_list *rest, void **entry)
{
    bool wide =
        memchr(flags, 'l', size) || memchr(flags, 'z', size) || memchr(flags, 'j', size) || memchr(flags, 't', size);
    if (conversion == 's' && !wide) {
        const char *text = va_arg(*rest, const char *), *dot = memchr(flags, '.', size);
        size_t most = dot && dot + 1 < flags + size ? strtoul(dot + 1, NULL, 10) : (size_t)-1;
        if (text)
            READS(text, dot ? least(strnlen(text, most) + 1, most) : strlen(text) + 1);
    } else if (strchr("aAeEfFgG", conversion)) {
        if (memchr(flags, 'L', size))
            (void)va_arg(*rest, long double);
        else
            (void)va_arg(*rest, double);
    } else if (strchr("pns", conversion) || wide) {
        (void)va_arg(*rest, void *);
    } else if (conversion != 'm') {
        (void)va_arg(*rest, int);
    }
}

static void printed(const char *format, va_list parts, void **entry)
{
    va_list rest;
    va_copy(rest, parts);
    reads_text(format, entry);
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        size_t size = strspn(++at, "-+ #0'123456789.hlLqjztI*");
        if (strchr(at, '$') == at + size)
            break; /* arguments by position: not looked at */
        for (size_t i = 0; i < size; i++)
            if (at[i] == '*')
                (void)va_arg(rest, int);
        if (at[size] != '%' && at[size])
            argument(at[size], at, size, &rest, entry);
        at += size + (at[size] != 0);
    }
    va_end(rest);
}

static size_t printed_size(const char *format, va_list parts)
{
    va_list again;
    va_copy(again, parts);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    return size < 0 ? 0 : (size_t)size + 1;
}

static int print(FILE *file, const char *format, va_list parts, void **entry)
{
    settle(entry);
    printed(format, parts, entry);
    use_stream(file, true, entry);
    return vfprintf(file, format, parts);
}

static int print_file(int file, const char *format, va_list parts, void **entry)
{
    settle(entry);
    printed(format, parts, entry);
    return not_there(file) ? -1 : vdprintf(file, format, parts);
}

static int print_text(char *to, size_t most, const char *format, va_list parts, void **entry)
{
    settle(entry);
    printed(format, parts, entry);
    WRITES(to, least(most, printed_size(format, parts)));
    return vsnprintf(to, most, format, parts);
}

static int print_new(char **to, const char *format, va_list parts, void **entry)
{
    settle(entry);
    printed(format, parts, entry);
    size_t size = printed_size(format, parts);
    char *text = allocate(size, 16, entry[1]);
    WRITES(to, sizeof *to);
    *to = text;
    return text ? vsnprintf(text, size, format, parts) : -1;
}

enum { ANY_SIZE = 0x7fffffff };

/* A function and its twin that takes a list. */
#define PRINTS(name, parameters, call) \
    EXPORT int isospin_##name(parameters const char *format, ...) \
    { \
        void **entry = HERE; \
        va_list parts; \
        va_start(parts, format); \
        int result = call; \
        va_end(parts); \
        return result; \
    } \
    EXPORT int isospin_v##name(parameters const char *format, va_list parts) \
    { \
        void **entry = HERE; \
        return call; \
    }
#define AND ,

PRINTS(printf, , print(stdout, format, parts, entry))
PRINTS(fprintf, FILE *file AND, print(file, format, parts, entry))
PRINTS(dprintf, int file AND, print_file(file, format, parts, entry))
PRINTS(sprintf, char *to AND, print_text(to, ANY_SIZE, format, parts, entry))
PRINTS(snprintf, char *to AND size_t most AND, print_text(to, most, format, parts, entry))
PRINTS(asprintf, char **to AND, print_new(to, format, parts, entry))

/* What this thread saw, in the words of the program. */
EXPORT void isospin_outcome(const char *format, ...)
{
    void **entry = HERE;
    va_list parts;
    va_start(parts, format);
    settle(entry);
    printed(format, parts, entry);
    outcomes_say(current->number, format, parts);
    va_end(parts);
}

EXPORT int isospin_puts(const char *text)
{
    settle(HERE);
    reads_text(text, HERE);
    return puts(text);
}

EXPORT int isospin_fputs(const char *text, FILE *file)
{
    settle(HERE);
    reads_text(text, HERE);
    use_stream(file, true, HERE);
    return fputs(text, file);
}

/* ---------------------------------------------------------------- sorting: what is compared is told by who compares */

EXPORT void isospin_qsort(void *from, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    void **entry = HERE;
    READS(from, count * size);
    WRITES(from, count * size);
    qsort(from, count, size, compare);
}

EXPORT void isospin_qsort_r(void *from, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                            void *more)
{
    void **entry = HERE;
    READS(from, count * size);
    WRITES(from, count * size);
    qsort_r(from, count, size, compare, more);
}
