/* Blocks of bytes, texts, sorting.  See announce.h. */
#include "libc/announce.h"

#include <libgen.h>
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
LOOKS(int, strverscmp)

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

EXPORT char *isospin_stpncpy(char *to, const char *from, size_t most)
{
    void **entry = HERE;
    READS(from, least(strnlen(from, most) + 1, most));
    WRITES(to, most);
    return stpncpy(to, from, most);
}

EXPORT size_t isospin_strxfrm(char *to, const char *from, size_t most)
{
    void **entry = HERE;
    reads_text(from, entry);
    WRITES(to, least(most, strxfrm(NULL, from, 0) + 1));
    return strxfrm(to, from, most);
}

/* Both are in newer versions of libc only, so they are made here. */
static size_t append(char *to, size_t begin, const char *from, size_t size, void **entry)
{
    size_t length = strlen(from), fits = size > begin ? least(length, size - begin - 1) : 0;
    reads_text(from, entry);
    if (size > begin) {
        WRITES(to + begin, fits + 1);
        memcpy(to + begin, from, fits);
        to[begin + fits] = 0;
    }
    return begin + length;
}

EXPORT size_t isospin_strlcpy(char *to, const char *from, size_t size) { return append(to, 0, from, size, HERE); }

EXPORT size_t isospin_strlcat(char *to, const char *from, size_t size)
{
    void **entry = HERE;
    size_t begin = strnlen(to, size);
    READS(to, least(begin + 1, size));
    return append(to, begin, from, size, entry);
}

EXPORT int isospin_bcmp(const void *a, const void *b, size_t size)
{
    void **entry = HERE;
    READS(a, size);
    READS(b, size);
    return memcmp(a, b, size);
}

EXPORT void isospin_bcopy(const void *from, void *to, size_t size) { copy(to, from, size, HERE); }

EXPORT void *isospin_rawmemchr(const void *from, int byte)
{
    void **entry = HERE;
    READS(from, (size_t)((char *)rawmemchr(from, byte) - (char *)from) + 1);
    return rawmemchr(from, byte);
}

/* The last part of a path, and what comes before it: these put an end into the text where they find a slash. */
#define PART_OF_PATH(name) \
    EXPORT char *isospin_##name(char *path) \
    { \
        void **entry = HERE; \
        if (path) \
            WRITES(path, strlen(path) + 1); \
        return name(path); \
    }

PART_OF_PATH(__xpg_basename)
PART_OF_PATH(dirname)

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
