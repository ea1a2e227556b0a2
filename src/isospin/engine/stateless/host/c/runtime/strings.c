/* libc's functions that read and write memory of the user: libc is not instrumented, so the user's calls come here (by
 * renames.txt), are told as accesses, and are then made. */
#include "files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

void use_output(FILE *file, void **entry); /* streams.c */

#define READS(from, size) access_memory((uintptr_t)(from), size, false, entry)
#define WRITES(from, size) access_memory((uintptr_t)(from), size, true, entry)

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

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

EXPORT void *isospin_memcpy(void *to, const void *from, size_t size)
{
    return copy(to, from, size, HERE);
}

EXPORT void *isospin_memmove(void *to, const void *from, size_t size)
{
    return copy(to, from, size, HERE);
}

EXPORT void *isospin_memset(void *to, int byte, size_t size)
{
    return fill(to, byte, size, HERE);
}

/* clang calls these by itself. */
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return copy(to, from, size, HERE);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return copy(to, from, size, HERE);
}

EXPORT void *__tsan_memset(void *to, int byte, size_t size)
{
    return fill(to, byte, size, HERE);
}

EXPORT void *isospin_mempcpy(void *to, const void *from, size_t size)
{
    return (char *)copy(to, from, size, HERE) + size;
}

EXPORT void isospin_bzero(void *to, size_t size)
{
    fill(to, 0, size, HERE);
}

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

/* ---------------------------------------------------------------- texts */

/* SOUND: how far a text reaches is asked once before the access is told, which may let others run and change it, and once
 * more by the function itself after it: so what is told and what is read agree unless others raced for it. */
static void reads_text(const char *text, void **entry)
{
    READS(text, strlen(text) + 1);
}

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

EXPORT int isospin_strcmp(const char *a, const char *b)
{
    void **entry = HERE;
    reads_text(a, entry);
    reads_text(b, entry);
    return strcmp(a, b);
}

EXPORT int isospin_strcasecmp(const char *a, const char *b)
{
    void **entry = HERE;
    reads_text(a, entry);
    reads_text(b, entry);
    return strcasecmp(a, b);
}

EXPORT int isospin_strncmp(const char *a, const char *b, size_t most)
{
    void **entry = HERE;
    READS(a, least(strnlen(a, most) + 1, most));
    READS(b, least(strnlen(b, most) + 1, most));
    return strncmp(a, b, most);
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

EXPORT char *isospin_strstr(const char *text, const char *part)
{
    void **entry = HERE;
    reads_text(text, entry);
    reads_text(part, entry);
    return strstr(text, part);
}

EXPORT char *isospin_strdup(const char *text)
{
    void **entry = HERE;
    reads_text(text, entry);
    size_t size = strlen(text) + 1;
    char *result = allocate(size, 16, entry[1]);
    return result ? copy(result, text, size, entry) : NULL;
}

EXPORT int isospin_atoi(const char *text)
{
    reads_text(text, HERE);
    return atoi(text);
}

EXPORT long isospin_strtol(const char *text, char **end, int base)
{
    reads_text(text, HERE);
    return strtol(text, end, base);
}

EXPORT unsigned long isospin_strtoul(const char *text, char **end, int base)
{
    reads_text(text, HERE);
    return strtoul(text, end, base);
}

/* ---------------------------------------------------------------- printing: texts that are printed are read */

/* Step over one argument of the given conversion; tell a text. */
static void argument(char conversion, const char *flags, size_t size, va_list *rest, void **entry)
{
    bool wide = memchr(flags, 'l', size) || memchr(flags, 'z', size) || memchr(flags, 'j', size) || memchr(flags, 't', size);
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

#define PRINTS(name, parameters, wrapped, call) \
    EXPORT int isospin_##name parameters \
    { \
        void **entry = HERE; \
        va_list parts; \
        settle(entry); \
        va_start(parts, format); \
        printed(format, parts, entry); \
        wrapped; \
        int result = call; \
        va_end(parts); \
        return result; \
    }

PRINTS(printf, (const char *format, ...), (void)0, vprintf(format, parts))
PRINTS(fprintf, (FILE * file, const char *format, ...), use_output(file, entry), vfprintf(file, format, parts))
PRINTS(dprintf, (int file, const char *format, ...), (void)0, vdprintf(file, format, parts))

static size_t printed_size(const char *format, va_list parts)
{
    va_list again;
    va_copy(again, parts);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    return size < 0 ? 0 : (size_t)size + 1;
}

PRINTS(sprintf, (char *to, const char *format, ...), WRITES(to, printed_size(format, parts)), vsprintf(to, format, parts))
PRINTS(snprintf, (char *to, size_t most, const char *format, ...), WRITES(to, least(most, printed_size(format, parts))),
       vsnprintf(to, most, format, parts))

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
    use_output(file, HERE);
    return fputs(text, file);
}

/* ---------------------------------------------------------------- sorting */

EXPORT void isospin_qsort(void *from, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    void **entry = HERE;
    READS(from, count * size);
    WRITES(from, count * size);
    qsort(from, count, size, compare);
}
