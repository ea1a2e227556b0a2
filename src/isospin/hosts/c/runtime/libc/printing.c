/* Functions that print: the texts that they are given are read, `%n` writes.  See announce.h. */
#include "libc/announce.h"
#include "wire/outcomes.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* ---------------------------------------------------------------- what a format says of its arguments */

enum { MOST_ARGUMENTS = 64 };
enum shape { NOTHING, AN_INT, A_WORD, A_DOUBLE, A_LONG_DOUBLE };

struct arguments {
    enum shape shape[MOST_ARGUMENTS];
    uint64_t value[MOST_ARGUMENTS]; /* of ints and words */
    int next; /* the one that is used next, where the format does not name it */
};

struct conversion {
    char letter;
    char length; /* h, H for hh, l (also ll, j, z, t), L, or 0 */
    int argument; /* which one; -1: none */
    int most_argument; /* the one that says how many letters of a text are printed; -1: none */
    long most; /* the same in the format; -1: all */
};

static int used(struct arguments *these, long named, enum shape shape)
{
    int number = named > 0 ? (int)named - 1 : these->next++;
    if (number >= MOST_ARGUMENTS)
        return -1;
    these->shape[number] = shape;
    return number;
}

/* `3$` here: 3, and `*at` goes behind it; 0: there is none. */
static long position(const char **at)
{
    size_t digits = strspn(*at, "0123456789");
    if (!digits || (*at)[digits] != '$')
        return 0;
    long named = strtol(*at, NULL, 10);
    *at += digits + 1;
    return named;
}

/* A width or a number of letters: in the format, or an argument. */
static long size_in(const char **at, struct arguments *these, int *argument)
{
    char *end;
    *argument = -1;
    if (**at == '*') {
        ++*at;
        long named = position(at);
        *argument = used(these, named, AN_INT);
        return -1;
    }
    long size = strtol(*at, &end, 10);
    *at = end;
    return size;
}

static enum shape shape_of(char letter, char length)
{
    if (strchr("aAeEfFgG", letter))
        return length == 'L' ? A_LONG_DOUBLE : A_DOUBLE;
    return strchr("spnS", letter) || length == 'l' || length == 'L' ? A_WORD : AN_INT;
}

static char length_at(const char **at)
{
    char length = 0;
    for (; **at && strchr("hlLqjztI", **at); ++*at)
        length = **at == 'h' ? (length == 'h' ? 'H' : 'h') : **at == 'L' ? 'L' : **at == 'I' ? length : 'l';
    return length;
}

/* The conversion whose % stands before `at`; where the next one may begin. */
static const char *read_conversion(const char *at, struct arguments *these, struct conversion *this)
{
    int width;
    long named = position(&at);
    at += strspn(at, "-+ #0'I");
    (void)size_in(&at, these, &width);
    *this = (struct conversion){.argument = -1, .most_argument = -1, .most = -1};
    if (*at == '.') {
        at++;
        this->most = size_in(&at, these, &this->most_argument);
    }
    this->length = length_at(&at);
    this->letter = *at;
    if (*at && *at != '%' && *at != 'm')
        this->argument = used(these, named, shape_of(*at, this->length));
    return at + (*at != 0);
}

static void fetch(struct arguments *these, va_list parts)
{
    va_list rest;
    va_copy(rest, parts);
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        switch (these->shape[i]) {
        case AN_INT:
            these->value[i] = (uint64_t)va_arg(rest, int);
            break;
        case A_WORD:
            these->value[i] = va_arg(rest, uint64_t);
            break;
        case A_DOUBLE:
            (void)va_arg(rest, double);
            break;
        case A_LONG_DOUBLE:
            (void)va_arg(rest, long double);
            break;
        case NOTHING:
            i = MOST_ARGUMENTS; /* there are no more, or it cannot be known where they are */
            break;
        }
    va_end(rest);
}

/* ---------------------------------------------------------------- what is touched */

static void reads_letters(const char *text, long most, void **entry)
{
    READS(text, most < 0 ? strlen(text) + 1 : least(strnlen(text, (size_t)most) + 1, (size_t)most));
}

static void reads_wide_letters(const wchar_t *text, long most, void **entry)
{
    READS(text, (most < 0 ? wcslen(text) + 1 : wcsnlen(text, (size_t)most)) * sizeof *text);
}

static size_t size_of_count(char length)
{
    return length == 'H' ? 1 : length == 'h' ? sizeof(short) : length ? sizeof(long) : sizeof(int);
}

static void touches(const struct conversion *this, const struct arguments *these, void **entry)
{
    if (this->argument < 0 || !strchr("sSn", this->letter) || !these->value[this->argument])
        return;
    const void *at = (const void *)these->value[this->argument];
    long most = this->most_argument < 0 ? this->most : (int)these->value[this->most_argument];
    if (this->letter == 'n')
        WRITES(at, size_of_count(this->length));
    else if (this->letter == 'S' || this->length == 'l')
        reads_wide_letters(at, most, entry);
    else
        reads_letters(at, most, entry);
}

/* SOUND: of more arguments than we count nobody says what is read. */
static void check_count(const struct arguments *these)
{
    if (running && these->next > MOST_ARGUMENTS)
        learn_incomplete("a format has more arguments than are looked at");
}

static void printed(const char *format, va_list parts, void **entry)
{
    struct arguments these = {.next = 0};
    struct conversion this;
    reads_text(format, entry);
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%'))
        at = read_conversion(at + 1, &these, &this);
    check_count(&these);
    fetch(&these, parts);
    these.next = 0;
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at = read_conversion(at + 1, &these, &this);
        touches(&this, &these, entry);
    }
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
    if (not_there(file))
        return -1;
    use_descriptor(file, true, entry);
    return vdprintf(file, format, parts);
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

WITH_TWIN(printf, , print(stdout, format, parts, entry))
WITH_TWIN(fprintf, FILE *file AND, print(file, format, parts, entry))
WITH_TWIN(dprintf, int file AND, print_file(file, format, parts, entry))
WITH_TWIN(sprintf, char *to AND, print_text(to, ANY_SIZE, format, parts, entry))
WITH_TWIN(snprintf, char *to AND size_t most AND, print_text(to, most, format, parts, entry))
WITH_TWIN(asprintf, char **to AND, print_new(to, format, parts, entry))

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

/* ---------------------------------------------------------------- complaints, to standard error; some are the last
 * word */

static void complain(bool with_error, const char *format, va_list parts, void **entry)
{
    int error = errno;
    settle(entry);
    if (format)
        printed(format, parts, entry);
    errno = error;
    if (with_error)
        vwarn(format, parts);
    else
        vwarnx(format, parts);
}

#define WARNS(name, with_error) \
    EXPORT void isospin_##name(const char *format, ...) \
    { \
        va_list parts; \
        va_start(parts, format); \
        complain(with_error, format, parts, HERE); \
        va_end(parts); \
    } \
    EXPORT void isospin_v##name(const char *format, va_list parts) { complain(with_error, format, parts, HERE); }

/* SOUND: libc's own would end this process, and not the execution. */
#define GIVES_UP(name, with_error) \
    EXPORT void isospin_##name(int status, const char *format, ...) \
    { \
        void **entry = HERE; \
        va_list parts; \
        va_start(parts, format); \
        complain(with_error, format, parts, entry); \
        va_end(parts); \
        process_exit(status, entry[0], entry[1], entry); \
    } \
    EXPORT void isospin_v##name(int status, const char *format, va_list parts) \
    { \
        void **entry = HERE; \
        complain(with_error, format, parts, entry); \
        process_exit(status, entry[0], entry[1], entry); \
    }

WARNS(warn, true)
WARNS(warnx, false)
GIVES_UP(err, true)
GIVES_UP(errx, false)

EXPORT void isospin_error(int status, int error, const char *format, ...)
{
    void **entry = HERE;
    va_list parts;
    va_start(parts, format);
    errno = error;
    fflush(stdout);
    complain(error != 0, format, parts, entry);
    va_end(parts);
    if (status)
        process_exit(status, entry[0], entry[1], entry);
}
