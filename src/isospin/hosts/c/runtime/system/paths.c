/* Files by their names: looked at, made, changed, removed; and the current directory.  What is changed is put back
 * before each execution (journal.c). */
#include "libc/announce.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int first_directory;
static mode_t first_mask;
static struct timespec began; /* in reality */
static bool moved_directory, changed_mask; /* in this execution */

void paths_prepare(void)
{
    first_directory = (int)syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    first_mask = (mode_t)syscall(SYS_umask, 0);
    syscall(SYS_umask, first_mask);
    syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &began);
}

void paths_reset(void)
{
    if (moved_directory)
        syscall(SYS_fchdir, first_directory);
    if (changed_mask)
        syscall(SYS_umask, first_mask);
    moved_directory = changed_mask = false;
}

/* ---------------------------------------------------------------- what is touched */

const char *name_below(int directory, const char *path, char *name)
{
    if (directory == AT_FDCWD || *path == '/' ||
        snprintf(name, PATH_MAX, "/proc/self/fd/%d/%s", directory, path) >= PATH_MAX)
        return path;
    return name;
}

static bool is_there(const char *path) { return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0; }

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

static void look(const char *path, void **entry)
{
    reads_text(path, entry);
    hidden(hidden_path(path), false, entry);
}

/* SOUND: whoever walks through directories conflicts with all that make or remove something anywhere; those do not
 * conflict with each other, since each has an object of its own. */
static uintptr_t made_by(int thread) { return hidden_number(TREES + (unsigned)thread); }

void change_name(const char *path, void **entry)
{
    struct hidden_use uses[] = {
        {hidden_path(path), true}, {directory_of(path), true}, {made_by(current->number), true}};
    reads_text(path, entry);
    hidden_uses(uses, 3, entry);
    journal(path);
}

void change_file(const char *path, void **entry)
{
    if (!is_there(path)) {
        change_name(path, entry);
        return;
    }
    hidden(hidden_path(path), true, entry);
    journal(path);
}

static void walk(const char *path, void **entry)
{
    look(path, entry);
    for (int i = 0; i < MOST_THREADS; i++)
        hidden(made_by(i), false, entry);
    descriptors_used();
}

/* ---------------------------------------------------------------- names */

EXPORT int unlink(const char *path)
{
    change_name(path, HERE);
    return (int)syscall(SYS_unlink, path);
}

EXPORT int rmdir(const char *path)
{
    change_name(path, HERE);
    return (int)syscall(SYS_rmdir, path);
}

EXPORT int remove(const char *path)
{
    change_name(path, HERE);
    return (int)(syscall(SYS_unlink, path) == 0 ? 0 : syscall(SYS_rmdir, path));
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    change_name(path, HERE);
    return (int)syscall(SYS_mkdir, path, mode);
}

EXPORT int unlinkat(int directory, const char *path, int flags)
{
    char name[PATH_MAX];
    reads_text(path, HERE);
    change_name(name_below(directory, path, name), HERE);
    return (int)syscall(SYS_unlinkat, directory, path, flags);
}

EXPORT int mkdirat(int directory, const char *path, mode_t mode)
{
    char name[PATH_MAX];
    reads_text(path, HERE);
    change_name(name_below(directory, path, name), HERE);
    return (int)syscall(SYS_mkdirat, directory, path, mode);
}

static void change_names(const char *from, const char *to, void **entry)
{
    struct hidden_use uses[] = {
        {hidden_path(from), true}, {hidden_path(to), true}, {directory_of(from), true}, {directory_of(to), true}};
    reads_text(from, entry);
    reads_text(to, entry);
    hidden(made_by(current->number), true, entry);
    hidden_uses(uses, 4, entry);
    journal(from);
    journal(to);
}

EXPORT int rename(const char *from, const char *to)
{
    struct stat there;
    change_names(from, to, HERE);
    if (running && syscall(SYS_newfstatat, AT_FDCWD, from, &there, 0) == 0 && S_ISDIR(there.st_mode))
        learn_incomplete("the program renames a directory, which is not put back");
    return (int)syscall(SYS_rename, from, to);
}

EXPORT int link(const char *from, const char *to)
{
    change_names(from, to, HERE);
    return (int)syscall(SYS_link, from, to);
}

EXPORT int symlink(const char *from, const char *to)
{
    reads_text(from, HERE);
    change_name(to, HERE);
    return (int)syscall(SYS_symlink, from, to);
}

EXPORT int truncate(const char *path, off_t size)
{
    reads_text(path, HERE);
    change_file(path, HERE);
    return (int)syscall(SYS_truncate, path, size);
}

EXPORT int chmod(const char *path, mode_t mode)
{
    reads_text(path, HERE);
    change_file(path, HERE);
    return (int)syscall(SYS_chmod, path, mode);
}

EXPORT int access(const char *path, int mode)
{
    look(path, HERE);
    return (int)syscall(SYS_access, path, mode);
}

EXPORT int isospin_faccessat(int directory, const char *path, int mode, int flags)
{
    char name[PATH_MAX];
    reads_text(path, HERE);
    hidden(hidden_path(name_below(directory, path, name)), false, HERE);
    return faccessat(directory, path, mode, flags);
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
    void **entry = HERE;
    look(path, entry);
    WRITES(to, size);
    return syscall(SYS_readlink, path, to, size);
}

EXPORT char *isospin_realpath(const char *path, char *to)
{
    void **entry = HERE;
    look(path, entry);
    char *result = realpath(path, to);
    if (result)
        WRITES(result, strlen(result) + 1);
    return result;
}

/* ---------------------------------------------------------------- what is known of a file */

static bool is_later(const struct timespec *time)
{
    return time->tv_sec > began.tv_sec || (time->tv_sec == began.tv_sec && time->tv_nsec >= began.tv_nsec);
}

/* SOUND: a file that was changed has the time of the change in reality, and in another execution another one: here it
 * is the time at which all clocks begin. */
static void same_times(struct stat *result)
{
    struct timespec *const times[] = {&result->st_atim, &result->st_mtim, &result->st_ctim};
    for (int i = 0; i < 3; i++)
        if (is_later(times[i]))
            *times[i] = time_at_start();
}

static int look_into(int directory, const char *path, struct stat *result, int flags, void **entry)
{
    WRITES(result, sizeof *result);
    int failed = (int)syscall(SYS_newfstatat, directory, path, result, flags);
    if (!failed && running)
        same_times(result);
    return failed;
}

EXPORT int stat(const char *restrict path, struct stat *restrict result)
{
    look(path, HERE);
    return look_into(AT_FDCWD, path, result, 0, HERE);
}

EXPORT int stat64(const char *restrict path, struct stat64 *restrict result) __attribute__((alias("stat")));

EXPORT int lstat(const char *restrict path, struct stat *restrict result)
{
    look(path, HERE);
    return look_into(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW, HERE);
}

EXPORT int lstat64(const char *restrict path, struct stat64 *restrict result) __attribute__((alias("lstat")));

EXPORT int fstat(int number, struct stat *result)
{
    if (not_there(number))
        return -1;
    use_file(number, false, HERE);
    return look_into(number, "", result, AT_EMPTY_PATH, HERE);
}

EXPORT int fstat64(int number, struct stat64 *result) __attribute__((alias("fstat")));

EXPORT int fstatat(int directory, const char *restrict path, struct stat *restrict result, int flags)
{
    char name[PATH_MAX];
    reads_text(path, HERE);
    if (*path)
        hidden(hidden_path(name_below(directory, path, name)), false, HERE);
    else
        use_file(directory, false, HERE);
    return look_into(directory, path, result, flags, HERE);
}

EXPORT int fstatat64(int directory, const char *restrict path, struct stat64 *restrict result, int flags)
    __attribute__((alias("fstatat")));

/* ---------------------------------------------------------------- walks through directories, by libc */

/* How many directories may be open at a time makes no difference to what is visited; but libc has a table of them, and
 * people say "all that there are". */
static int fewer(int most) { return most < 16 ? most : 16; }

EXPORT int isospin_ftw(const char *path, __ftw_func_t visit, int most)
{
    walk(path, HERE);
    return ftw(path, visit, fewer(most));
}

EXPORT int isospin_ftw64(const char *path, __ftw_func_t visit, int most) __attribute__((alias("isospin_ftw")));

EXPORT int isospin_nftw(const char *path, __nftw_func_t visit, int most, int flags)
{
    void **entry = HERE;
    walk(path, entry);
    if (flags & FTW_CHDIR) {
        hidden(hidden_number(CURRENT_DIRECTORY), true, entry);
        moved_directory = true;
    }
    return nftw(path, visit, fewer(most), flags);
}

EXPORT int isospin_nftw64(const char *path, __nftw_func_t visit, int most, int flags)
    __attribute__((alias("isospin_nftw")));

EXPORT int isospin_scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
                           int (*compare)(const struct dirent **, const struct dirent **))
{
    void **entry = HERE;
    walk(path, entry);
    WRITES(list, sizeof *list);
    return scandir(path, list, wanted, compare);
}

/* ---------------------------------------------------------------- of the process */

EXPORT int chdir(const char *path)
{
    reads_text(path, HERE);
    hidden(hidden_number(CURRENT_DIRECTORY), true, HERE);
    moved_directory = true;
    return (int)syscall(SYS_chdir, path);
}

EXPORT int fchdir(int number)
{
    hidden(hidden_number(CURRENT_DIRECTORY), true, HERE);
    moved_directory = true;
    return (int)syscall(SYS_fchdir, number);
}

EXPORT char *isospin_getcwd(char *to, size_t size)
{
    void **entry = HERE;
    hidden(hidden_number(CURRENT_DIRECTORY), false, entry);
    if (to)
        WRITES(to, size);
    return getcwd(to, size);
}

EXPORT mode_t umask(mode_t mask)
{
    hidden(hidden_number(MASK_OF_MODES), true, HERE);
    changed_mask = true;
    return (mode_t)syscall(SYS_umask, mask);
}

/* ---------------------------------------------------------------- names that nobody has yet */

/* The letters at the end of a pattern, by the thread and by how many it has asked for: the same in each execution. */
static void fill_in(char *letters, unsigned number)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    number = number * MOST_THREADS + (unsigned)current->number;
    for (int i = 0; i < 6; i++, number /= 36)
        letters[i] = digits[number % 36];
}

static char *letters_of(char *pattern, size_t behind)
{
    size_t size = strlen(pattern);
    bool fits = size >= behind + 6 && memcmp(pattern + size - behind - 6, "XXXXXX", 6) == 0;
    if (!fits)
        errno = EINVAL;
    return fits ? pattern + size - behind - 6 : NULL;
}

static long make(const char *path, int flags, bool directory)
{
    if (directory)
        return syscall(SYS_mkdir, path, 0700);
    return syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

static long make_new(char *pattern, size_t behind, int flags, bool directory, void **entry)
{
    char *letters = letters_of(pattern, behind);
    long made = -1;
    if (!letters)
        return -1;
    WRITES(letters, 6);
    do {
        fill_in(letters, current->files++);
        if (!is_there(pattern)) {
            change_name(pattern, entry);
            made = make(pattern, flags, directory);
        }
    } while (made < 0 && is_there(pattern));
    return made;
}

static int make_file(char *pattern, int behind, int flags, void **entry)
{
    return own_descriptor(make_new(pattern, (size_t)behind, flags, false, entry), hidden_path(pattern));
}

EXPORT int mkstemp(char *pattern) { return make_file(pattern, 0, 0, HERE); }

EXPORT int mkstemp64(char *pattern) { return make_file(pattern, 0, 0, HERE); }

EXPORT int mkostemp(char *pattern, int flags) { return make_file(pattern, 0, flags, HERE); }

EXPORT int mkstemps(char *pattern, int behind) { return make_file(pattern, behind, 0, HERE); }

EXPORT char *mkdtemp(char *pattern) { return make_new(pattern, 0, 0, true, HERE) < 0 ? NULL : pattern; }

EXPORT FILE *tmpfile(void)
{
    char pattern[] = P_tmpdir "/isospinXXXXXX";
    int file = make_file(pattern, 0, 0, HERE);
    if (file < 0)
        return NULL;
    syscall(SYS_unlink, pattern);
    return fdopen(file, "w+");
}
