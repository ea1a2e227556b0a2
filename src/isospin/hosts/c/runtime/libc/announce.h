/* For functions of libc that touch memory of the user: libc is not instrumented, so the user's calls come to ours (by
 * renames.txt), which announce the accesses and then make the call. */
#ifndef ISOSPIN_ANNOUNCE_H
#define ISOSPIN_ANNOUNCE_H

#include "system/files.h"

#include <stdarg.h>
#include <string.h>

/* In a function with `void **entry`. */
#define READS(from, size) access_memory((uintptr_t)(from), size, false, entry)
#define WRITES(from, size) access_memory((uintptr_t)(from), size, true, entry)

static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* SOUND: how far a text reaches is asked once before the access is announced, which may let others run and change it,
 * and once more by the function itself after it: what is announced and read agree unless others raced for it. */
static inline void reads_text(const char *text, void **entry) { READS(text, strlen(text) + 1); }

/* A function with a format, and its twin that takes a list; AND stands for a comma in what comes before the format. */
#define WITH_TWIN(name, parameters, call) \
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

#endif
