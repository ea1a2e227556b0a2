/* Regular expressions.  libc locks a compiled one while it is used; see announce.h. */
#include "libc/announce.h"

#include <regex.h>

EXPORT int isospin_regcomp(regex_t *into, const char *pattern, int flags)
{
    void **entry = HERE;
    reads_text(pattern, entry);
    WRITES(into, sizeof *into);
    return regcomp(into, pattern, flags);
}

static void reads_subject(const char *text, const regmatch_t *match, int flags, void **entry)
{
    if (flags & REG_STARTEND)
        READS(text + match->rm_so, (size_t)(match->rm_eo - match->rm_so));
    else
        reads_text(text, entry);
}

EXPORT int isospin_regexec(const regex_t *compiled, const char *text, size_t count, regmatch_t *matches, int flags)
{
    void **entry = HERE;
    READS(compiled, sizeof *compiled);
    reads_subject(text, matches, flags, entry);
    if (matches)
        WRITES(matches, count * sizeof *matches);
    return regexec(compiled, text, count, matches, flags);
}

EXPORT void isospin_regfree(regex_t *compiled)
{
    void **entry = HERE;
    WRITES(compiled, sizeof *compiled);
    regfree(compiled);
}

EXPORT size_t isospin_regerror(int error, const regex_t *compiled, char *to, size_t size)
{
    void **entry = HERE;
    if (compiled)
        READS(compiled, sizeof *compiled);
    WRITES(to, size);
    return regerror(error, compiled, to, size);
}
