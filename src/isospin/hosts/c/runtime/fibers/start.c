/* The beginning: the program is brought to its initial state under control, and the exploration takes over. */
#include "system/files.h"
#include "strangers/strangers.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
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

size_t program_section(const char *name, char *text, size_t most)
{
    ElfW(Ehdr) head;
    ElfW(Shdr) names, section;
    char its_name[32];
    size_t size = 0;
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    syscall(SYS_pread64, file, &head, sizeof head, 0);
    syscall(SYS_pread64, file, &names, sizeof names, head.e_shoff + (size_t)head.e_shstrndx * head.e_shentsize);
    for (int i = 0; i < head.e_shnum && !size; i++) {
        syscall(SYS_pread64, file, &section, sizeof section, head.e_shoff + (size_t)i * head.e_shentsize);
        memset(its_name, 0, sizeof its_name);
        syscall(SYS_pread64, file, its_name, sizeof its_name - 1, names.sh_offset + section.sh_name);
        if (strcmp(its_name, name) == 0)
            size = (size_t)syscall(SYS_pread64, file, text, section.sh_size < most ? section.sh_size : most,
                                   section.sh_offset);
    }
    syscall(SYS_close, file);
    return size;
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
    joins_prepare();
    strangers_prepare();
    languages_prepare();
    reset_prepare();
    int status = isospin_drive(getenv("ISOSPIN"));
    journal_restore();
    _exit(status);
}
