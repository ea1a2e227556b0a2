/* Limits of the process, and the languages that it speaks: what the kernel and libc keep beyond an execution.
 *
 * Limits are written down and not given to the kernel: they are put back with all that is in `now`.
 */
#include "libc/announce.h"
#include "strangers/strangers.h"

#include <errno.h>
#include <locale.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---------------------------------------------------------------- limits */

void limits_prepare(void)
{
    for (int i = 0; i < RLIM_NLIMITS; i++)
        syscall(SYS_prlimit64, 0, i, NULL, &now.limits[i]);
}

static int failed(int error)
{
    errno = error;
    return -1;
}

/* Nobody holds the program to a limit.  More than there was does no harm, and no process of ours leaves a core. */
static void note_lower(int which, const struct rlimit *wanted)
{
    if (which != RLIMIT_CORE && wanted->rlim_cur < now.limits[which].rlim_cur)
        learn_incomplete("the program lowers a limit of its process (setrlimit): it is not held to it");
}

static int set_limit(int which, const struct rlimit *wanted)
{
    if (wanted->rlim_cur > wanted->rlim_max)
        return failed(EINVAL);
    if (wanted->rlim_max > now.limits[which].rlim_max && syscall(SYS_geteuid) != 0)
        return failed(EPERM);
    note_lower(which, wanted);
    now.limits[which] = *wanted;
    return 0;
}

static int use_limit(int which, const struct rlimit *wanted, struct rlimit *old, void **entry)
{
    if (which < 0 || which >= RLIM_NLIMITS)
        return failed(EINVAL);
    hidden(hidden_number(LIMITS), wanted != NULL, entry);
    if (wanted)
        READS(wanted, sizeof *wanted);
    if (old)
        WRITES(old, sizeof *old);
    struct rlimit now_there = now.limits[which], asked = wanted ? *wanted : now_there;
    if (old)
        *old = now_there;
    return wanted ? set_limit(which, &asked) : 0;
}

EXPORT int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
    return use_limit((int)which, NULL, limit, HERE);
}

EXPORT int getrlimit64(__rlimit_resource_t which, struct rlimit64 *limit) __attribute__((alias("getrlimit")));

EXPORT int setrlimit(__rlimit_resource_t which, const struct rlimit *limit)
{
    return use_limit((int)which, limit, NULL, HERE);
}

EXPORT int setrlimit64(__rlimit_resource_t which, const struct rlimit64 *limit) __attribute__((alias("setrlimit")));

EXPORT int prlimit(pid_t pid, enum __rlimit_resource which, const struct rlimit *limit, struct rlimit *old)
{
    if (pid && pid != syscall(SYS_getpid))
        return failed(EPERM);
    return use_limit((int)which, limit, old, HERE);
}

/* ---------------------------------------------------------------- languages */

/* libc maps the data of a language once, and a reset does not know that: those of the user's own are there before it.
 */
void languages_prepare(void)
{
    if (!program_calls("isospin_setlocale"))
        return;
    setlocale(LC_ALL, "");
    setlocale(LC_ALL, "C");
}

static bool is_prepared(const char *name)
{
    return !name || !*name || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

/* SOUND: what depends on the language is read by many functions, which do not say so. */
EXPORT char *isospin_setlocale(int category, const char *name)
{
    void **entry = HERE;
    settle(entry);
    if (running && !is_prepared(name))
        learn_fork("the program sets a language by its name (setlocale)");
    if (running && name)
        meet_unseen("setlocale", entry);
    return setlocale(category, name);
}
