/* The beginning: the program is brought to its initial state under control, and the exploration takes over. */
#include "system/files.h"
#include "strangers/strangers.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int isospin_user_main(int, char **, char **);
int isospin_drive(const char *orders);
extern char __libc_single_threaded;

static int users_argc;
static char **users_argv, **users_environment;

static void *first_thread(void *unused)
{
    (void)unused;
    int status = isospin_user_main(users_argc, users_argv, users_environment);
    process_exit(status, NULL, (const char *)isospin_user_main + 1, HERE);
}

/* Addresses of libraries are part of what the program sees: the same in every run. */
static void same_addresses(char **argv)
{
    int old = personality(0xffffffff);
    if (old < 0 || old & ADDR_NO_RANDOMIZE || getenv("ISOSPIN_ADDRESSES"))
        return;
    setenv("ISOSPIN_ADDRESSES", "same", 1); /* once is enough, also where it does not work */
    if (personality((unsigned long)old | ADDR_NO_RANDOMIZE) >= 0)
        syscall(SYS_execve, "/proc/self/exe", argv, environ);
}

void *next_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        broken("libc lacks a function that the runtime stands before");
    return function;
}

/* The program may write its arguments: they are in memory that is put back. */
static char **copied(int count, char **list)
{
    char **copy = allocate((size_t)(count + 1) * sizeof *copy, 16, NULL);
    for (int i = 0; i < count; i++) {
        size_t size = strlen(list[i]) + 1;
        copy[i] = memcpy(allocate(size, 16, NULL), list[i], size);
    }
    copy[count] = NULL;
    return copy;
}

EXPORT int main(int argc, char **argv, char **environment)
{
    same_addresses(argv);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever asked is gone: nobody wants to know */
    unsetenv("ISOSPIN_ADDRESSES");
    fiber_prepare();
    users_argc = argc;
    users_argv = copied(argc, argv);
    users_environment = environment;
    /* SOUND: while it says that there is one thread only, libstdc++ counts references without atomic operations. */
    __libc_single_threaded = 0;
    thread_of(0)->start = first_thread;
    fault_prepare();
    files_prepare();
    strangers_prepare();
    languages_prepare();
    reset_prepare();
    int status = isospin_drive(getenv("ISOSPIN"));
    journal_restore();
    _exit(status);
}
