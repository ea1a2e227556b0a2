/* Files and descriptors.  Reading is free; what is written is put back before each execution (journal.c).  Descriptors
 * have numbers that depend on the thread's own history only, and are closed before each execution. */
#include "libc/files.h"

#include "jobs/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN_BASE 0x170000000000ul
enum { MOST_NUMBERS = 1 << 16 };

static uint8_t ours[MOST_NUMBERS / 8]; /* descriptors that are not the program's */
static uintptr_t object_of[MOST_NUMBERS]; /* what the descriptor is a descriptor of */
static unsigned first_number, numbers_each; /* thread t: first + t * each ... */
static int first_directory;
static bool touched, moved_directory; /* in this execution */
static off_t input_offset;

/* ---------------------------------------------------------------- objects */

static __attribute__((noinline)) void check_order(uintptr_t object, bool writes, const void *pc)
{
    struct race race;
    if (race_access(current->number, object, 8, writes ? RACE_WRITE : RACE_READ, pc, &race))
        learn_visible(object, 8);
}

void hidden(uintptr_t object, bool writes, void **entry)
{
    if (!running)
        return;
    settle(entry);
    spin_effect();
    if (known_visible(object, 8)) {
        touch(pend(OP_OUTSIDE, entry), MEMORY, object, 8, writes, false);
        perform();
    }
    check_order(object, writes, entry[1]);
}

uintptr_t hidden_number(unsigned number) { return HIDDEN_BASE + number * 8ul; }

uintptr_t hidden_path(const char *path)
{
    char name[PATH_MAX];
    uint64_t hash = 0xcbf29ce484222325ul;
    for (const char *at = realpath(path, name) ? name : path; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 0x100000001b3ul;
    return HIDDEN_BASE + 0x1000000ul + (hash >> 34) * 8;
}

/* ---------------------------------------------------------------- descriptors */

static bool is_ours(unsigned number) { return number >= MOST_NUMBERS || ours[number / 8] >> number % 8 & 1; }

void files_prepare(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < MOST_NUMBERS ? limit.rlim_max : MOST_NUMBERS;
    setrlimit(RLIMIT_NOFILE, &limit);
    first_directory = (int)syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    input_offset = syscall(SYS_lseek, 0, 0, SEEK_CUR);
    if (input_offset == (off_t)-1) /* SOUND: what comes from a pipe or a terminal cannot be read a second time */
        syscall(SYS_dup2, syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC), 0);
    for (unsigned i = 0; i < 1024; i++)
        if (syscall(SYS_fcntl, i, F_GETFD) >= 0) {
            ours[i / 8] |= (uint8_t)(1 << i % 8);
            first_number = i + 1;
        }
    numbers_each = ((unsigned)limit.rlim_cur - first_number) / MOST_THREADS;
}

void files_reset(void)
{
    journal_restore();
    if (moved_directory)
        syscall(SYS_fchdir, first_directory);
    if (touched) {
        syscall(SYS_close_range, first_number, ~0u, 0);
        syscall(SYS_lseek, 0, input_offset, SEEK_SET);
    }
    touched = moved_directory = false;
}

/* A number of the thread's own, whoever opened something before. */
static int own_number(long file)
{
    touched = true;
    if (file < 0 || !running || numbers_each < 4)
        return (int)file;
    long own = syscall(SYS_fcntl, file, F_DUPFD, first_number + (unsigned)current->number * numbers_each);
    syscall(SYS_close, file);
    return (int)own;
}

static bool changes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC); }

/* The directory of a path: what is made or removed in it changes it. */
static uintptr_t directory_of(const char *path)
{
    char name[PATH_MAX];
    const char *end = strrchr(path, '/');
    size_t size = end ? (size_t)(end - path) : 0;
    if (size >= sizeof name)
        return hidden_path("/");
    memcpy(name, path, size);
    name[size] = 0;
    return hidden_path(end ? (size ? name : "/") : ".");
}

static void change(const char *path, void **entry)
{
    hidden(hidden_path(path), true, entry);
    hidden(directory_of(path), true, entry);
    journal(path);
}

static int open_file(int directory, const char *path, int flags, unsigned mode, void **entry)
{
    if (running && changes(flags) && directory == AT_FDCWD) {
        if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
            hidden(hidden_path(path), true, entry);
        else
            hidden(directory_of(path), true, entry);
        journal(path);
    } else if (running && changes(flags)) {
        learn_incomplete("the program changes files by openat, which are not put back");
    } else {
        hidden(hidden_path(path), false, entry);
    }
    int number = own_number(syscall(SYS_openat, directory, path, flags, mode));
    if (number >= 0 && number < MOST_NUMBERS)
        object_of[number] = hidden_path(path);
    return number;
}

static unsigned mode_of(int flags, va_list *rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(*rest, unsigned) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = mode_of(flags, &rest);
    va_end(rest);
    return open_file(AT_FDCWD, path, flags, mode, HERE);
}

EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORT int openat(int directory, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = mode_of(flags, &rest);
    va_end(rest);
    return open_file(directory, path, flags, mode, HERE);
}

EXPORT int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));

EXPORT int creat(const char *path, mode_t mode)
{
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, HERE);
}

void use_descriptor(int number, bool writes, void **entry)
{
    settle(entry);
    if (!running || number < 0 || number == 1 || number == 2 || number >= MOST_NUMBERS)
        return;
    touched = true;
    if (number == 0)
        jobs_alone(); /* all processes would read from the same place on */
    if (number == 0 && input_offset == (off_t)-1)
        learn_incomplete("the program reads its standard input, which is no file: it is empty");
    hidden(hidden_number((unsigned)number), true, entry);
    if (object_of[number] && !is_ours((unsigned)number))
        hidden(object_of[number], writes, entry);
}

/* Of the descriptors that are open for us the program knows nothing: for it they are not there. */
bool not_there(int number)
{
    if (!running || number <= 2 || !is_ours((unsigned)number))
        return false;
    errno = EBADF;
    return true;
}

EXPORT ssize_t read(int number, void *to, size_t size)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, false, entry);
    access_memory((uintptr_t)to, size, true, entry);
    return syscall(SYS_read, number, to, size);
}

EXPORT ssize_t pread(int number, void *to, size_t size, off_t offset)
{
    void **entry = HERE;
    if (running && number >= 0 && number < MOST_NUMBERS && object_of[number])
        hidden(object_of[number], false, entry);
    access_memory((uintptr_t)to, size, true, entry);
    return syscall(SYS_pread64, number, to, size, offset);
}

EXPORT ssize_t pread64(int number, void *to, size_t size, off_t offset) __attribute__((alias("pread")));

EXPORT ssize_t write(int number, const void *from, size_t size)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, true, entry);
    access_memory((uintptr_t)from, size, false, entry);
    return syscall(SYS_write, number, from, size);
}

EXPORT ssize_t pwrite(int number, const void *from, size_t size, off_t offset)
{
    void **entry = HERE;
    if (running && number >= 0 && number < MOST_NUMBERS && object_of[number])
        hidden(object_of[number], true, entry);
    access_memory((uintptr_t)from, size, false, entry);
    return syscall(SYS_pwrite64, number, from, size, offset);
}

EXPORT ssize_t pwrite64(int number, const void *from, size_t size, off_t offset) __attribute__((alias("pwrite")));

EXPORT off_t lseek(int number, off_t offset, int whence)
{
    use_descriptor(number, false, HERE);
    return syscall(SYS_lseek, number, offset, whence);
}

EXPORT off_t lseek64(int number, off_t offset, int whence) __attribute__((alias("lseek")));

EXPORT int ftruncate(int number, off_t size)
{
    use_descriptor(number, true, HERE);
    return (int)syscall(SYS_ftruncate, number, size);
}

EXPORT int close(int number)
{
    if (not_there(number))
        return -1;
    use_descriptor(number, false, HERE);
    return (int)syscall(SYS_close, number);
}

/* ---------------------------------------------------------------- streams: fopen, by the descriptors above */

static int flags_of(const char *mode)
{
    int more = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    if (*mode == 'w')
        more |= O_CREAT | O_TRUNC;
    if (*mode == 'a')
        more |= O_CREAT | O_APPEND;
    return more | (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    int number = open_file(AT_FDCWD, path, flags_of(mode), 0666, HERE);
    return number < 0 ? NULL : fdopen(number, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

EXPORT DIR *opendir(const char *path)
{
    int number = open_file(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, HERE);
    return number < 0 ? NULL : fdopendir(number);
}

/* ---------------------------------------------------------------- names */

EXPORT int unlink(const char *path)
{
    change(path, HERE);
    return (int)syscall(SYS_unlink, path);
}

EXPORT int rmdir(const char *path)
{
    change(path, HERE);
    return (int)syscall(SYS_rmdir, path);
}

EXPORT int remove(const char *path)
{
    change(path, HERE);
    return (int)(syscall(SYS_unlink, path) == 0 ? 0 : syscall(SYS_rmdir, path));
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    change(path, HERE);
    return (int)syscall(SYS_mkdir, path, mode);
}

EXPORT int rename(const char *from, const char *to)
{
    void **entry = HERE;
    struct stat there;
    change(from, entry);
    change(to, entry);
    if (running && syscall(SYS_newfstatat, AT_FDCWD, from, &there, 0) == 0 && S_ISDIR(there.st_mode))
        learn_incomplete("the program renames a directory, which is not put back");
    return (int)syscall(SYS_rename, from, to);
}

EXPORT int truncate(const char *path, off_t size)
{
    change(path, HERE);
    return (int)syscall(SYS_truncate, path, size);
}

EXPORT int chdir(const char *path)
{
    hidden(hidden_number(ADDRESS_SPACE + 1), true, HERE);
    moved_directory = true;
    return (int)syscall(SYS_chdir, path);
}

EXPORT int stat(const char *restrict path, struct stat *restrict result)
{
    void **entry = HERE;
    hidden(hidden_path(path), false, entry);
    access_memory((uintptr_t)result, sizeof *result, true, entry);
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, 0);
}

EXPORT int stat64(const char *restrict path, struct stat64 *restrict result) __attribute__((alias("stat")));

EXPORT int lstat(const char *restrict path, struct stat *restrict result)
{
    void **entry = HERE;
    hidden(hidden_path(path), false, entry);
    access_memory((uintptr_t)result, sizeof *result, true, entry);
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}

EXPORT int access(const char *path, int mode)
{
    hidden(hidden_path(path), false, HERE);
    return (int)syscall(SYS_access, path, mode);
}
