/* Descriptors.  Reading is free; what is written is put back before each execution (journal.c).  Descriptors
 * have numbers that depend on the thread's own history only, and are closed before each execution. */
#include "libc/announce.h"

#include "jobs/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define HIDDEN_BASE 0x170000000000ul
enum { MOST_NUMBERS = 1 << 16 };

static uint8_t ours[MOST_NUMBERS / 8]; /* descriptors that are not the program's */
static uintptr_t object_of[MOST_NUMBERS]; /* what the descriptor is a descriptor of */
static unsigned first_number, numbers_each; /* thread t: first + t * each ... */
static bool touched; /* in this execution */
static off_t input_offset;

/* ---------------------------------------------------------------- objects */

static __attribute__((noinline)) void check_order(uintptr_t object, bool writes, const void *pc)
{
    struct race race;
    if (race_access(current->number, object, 8, writes ? RACE_WRITE : RACE_READ, pc, &race))
        learn_visible(object, 8);
}

static bool is_visible(const struct hidden_use *uses, int count)
{
    for (int i = 0; i < count; i++)
        if (known_visible(uses[i].object, 8))
            return true;
    return false;
}

/* SOUND: all of them in one operation, or others could come between the first and the call itself. */
void hidden_uses(const struct hidden_use *uses, int count, void **entry)
{
    if (!running)
        return;
    settle(entry);
    spin_effect();
    if (is_visible(uses, count)) {
        struct operation *operation = pend(OP_OUTSIDE, entry);
        for (int i = 0; i < count; i++)
            if (known_visible(uses[i].object, 8))
                touch(operation, MEMORY, uses[i].object, 8, uses[i].writes, false);
        perform();
    }
    for (int i = 0; i < count; i++)
        check_order(uses[i].object, uses[i].writes, entry[1]);
}

void hidden(uintptr_t object, bool writes, void **entry)
{
    hidden_uses(&(struct hidden_use){object, writes}, 1, entry);
}

uintptr_t hidden_number(unsigned number) { return HIDDEN_BASE + number * 8ul; }

/* SOUND: a file that is not there has the name that it would have, so that whoever looks for it conflicts with whoever
 * makes it. */
uintptr_t hidden_path(const char *path)
{
    char name[PATH_MAX];
    uint64_t hash = 0xcbf29ce484222325ul;
    for (const char *at = realpath(path, name) || whole_name(path, name) ? name : path; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 0x100000001b3ul;
    return HIDDEN_BASE + 0x1000000ul + (hash >> 34) * 8;
}

/* ---------------------------------------------------------------- descriptors */

static bool is_ours(unsigned number) { return number >= MOST_NUMBERS || ours[number / 8] >> number % 8 & 1; }

void files_prepare(void)
{
    struct rlimit limit;
    limits_prepare();
    limit = now.limits[RLIMIT_NOFILE];
    limit.rlim_cur = limit.rlim_max < MOST_NUMBERS ? limit.rlim_max : MOST_NUMBERS;
    syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    paths_prepare();
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
    mappings_reset();
    journal_restore();
    paths_reset();
    if (touched) {
        syscall(SYS_close_range, first_number, ~0u, 0);
        syscall(SYS_lseek, 0, input_offset, SEEK_SET);
    }
    touched = false;
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

int own_descriptor(long file, uintptr_t object)
{
    int number = own_number(file);
    if (number >= 0 && number < MOST_NUMBERS)
        object_of[number] = object;
    return number;
}

static void before_opening(const char *path, int flags, void **entry)
{
    if (!running || !changes(flags))
        hidden(hidden_path(path), false, entry);
    else
        change_file(path, entry);
}

static int open_file(int directory, const char *path, int flags, unsigned mode, void **entry)
{
    char name[PATH_MAX];
    reads_text(path, entry);
    const char *whole = name_below(directory, path, name);
    before_opening(whole, flags, entry);
    return own_descriptor(syscall(SYS_openat, directory, path, flags, mode), hidden_path(whole));
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

void descriptors_used(void) { touched = true; }

uintptr_t file_object(int number)
{
    return number > 2 && number < MOST_NUMBERS && !is_ours((unsigned)number) ? object_of[number] : 0;
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
    struct hidden_use uses[] = {{hidden_number((unsigned)number), true}, {file_object(number), writes}};
    hidden_uses(uses, uses[1].object ? 2 : 1, entry);
    mappings_check(file_object(number), writes);
}

void use_file(int number, bool writes, void **entry)
{
    settle(entry);
    if (!running || !file_object(number))
        return;
    hidden(object_of[number], writes, entry);
    mappings_check(object_of[number], writes);
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
    WRITES(to, size);
    return syscall(SYS_read, number, to, size);
}

EXPORT ssize_t pread(int number, void *to, size_t size, off_t offset)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_file(number, false, entry);
    WRITES(to, size);
    return syscall(SYS_pread64, number, to, size, offset);
}

EXPORT ssize_t pread64(int number, void *to, size_t size, off_t offset) __attribute__((alias("pread")));

EXPORT ssize_t write(int number, const void *from, size_t size)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, true, entry);
    READS(from, size);
    return syscall(SYS_write, number, from, size);
}

EXPORT ssize_t pwrite(int number, const void *from, size_t size, off_t offset)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_file(number, true, entry);
    READS(from, size);
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

EXPORT ssize_t readv(int number, const struct iovec *list, int count)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, false, entry);
    READS(list, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
        WRITES(list[i].iov_base, list[i].iov_len);
    return syscall(SYS_readv, number, list, count);
}

EXPORT ssize_t writev(int number, const struct iovec *list, int count)
{
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, true, entry);
    READS(list, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
        READS(list[i].iov_base, list[i].iov_len);
    return syscall(SYS_writev, number, list, count);
}

EXPORT int fsync(int number)
{
    use_descriptor(number, true, HERE);
    return (int)syscall(SYS_fsync, number);
}

EXPORT int fdatasync(int number)
{
    use_descriptor(number, true, HERE);
    return (int)syscall(SYS_fdatasync, number);
}

EXPORT int close(int number)
{
    if (not_there(number))
        return -1;
    use_descriptor(number, false, HERE);
    return (int)syscall(SYS_close, number);
}

/* ---------------------------------------------------------------- copies of descriptors */

static int copied(int number, long copy)
{
    return own_descriptor(copy, number > 2 && number < MOST_NUMBERS ? object_of[number] : 0);
}

EXPORT int dup(int number)
{
    if (not_there(number))
        return -1;
    use_descriptor(number, false, HERE);
    return copied(number, syscall(SYS_dup, number));
}

/* To a number that the program says.  Of those below ours only standard input, output and error are there. */
static int copy_to(int number, int to, int flags, void **entry)
{
    if (not_there(number) || not_there(to))
        return -1;
    use_descriptor(number, false, entry);
    use_descriptor(to, false, entry);
    if (running && to <= 2)
        learn_fork("the program has another standard input or output (dup2)");
    long copy = number == to ? to : syscall(SYS_dup3, number, to, flags);
    touched = true;
    if (copy >= 0 && copy < MOST_NUMBERS)
        object_of[copy] = number > 2 && number < MOST_NUMBERS ? object_of[number] : 0;
    return (int)copy;
}

EXPORT int dup2(int number, int to) { return copy_to(number, to, 0, HERE); }

EXPORT int dup3(int number, int to, int flags) { return copy_to(number, to, flags, HERE); }

EXPORT int fcntl(int number, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    void **entry = HERE;
    if (not_there(number))
        return -1;
    use_descriptor(number, false, entry);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return copied(number, syscall(SYS_fcntl, number, command, argument));
    if (command == F_GETLK || command == F_SETLK || command == F_SETLKW)
        WRITES(argument, sizeof(struct flock));
    return (int)syscall(SYS_fcntl, number, command, argument);
}

EXPORT int fcntl64(int number, int command, ...) __attribute__((alias("fcntl")));

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
    reads_text(mode, HERE);
    int number = open_file(AT_FDCWD, path, flags_of(mode), 0666, HERE);
    return number < 0 ? NULL : fdopen(number, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

EXPORT DIR *opendir(const char *path)
{
    int number = open_file(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, HERE);
    return number < 0 ? NULL : fdopendir(number);
}

/* SOUND: what a standard stream leads to is not put back, and which number another one gets is not ours to say. */
EXPORT FILE *isospin_freopen(const char *path, const char *mode, FILE *file)
{
    void **entry = HERE;
    if (running)
        learn_fork("the program opens a stream anew (freopen)");
    reads_text(mode, entry);
    use_stream(file, true, entry);
    if (path) {
        reads_text(path, entry);
        before_opening(path, flags_of(mode), entry);
    }
    return freopen(path, mode, file);
}

EXPORT FILE *isospin_freopen64(const char *path, const char *mode, FILE *file)
    __attribute__((alias("isospin_freopen")));
