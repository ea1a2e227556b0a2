/* Files that the program changes are put back before each execution, and at the end.
 *
 * What was at a path is remembered before the first change, in the memory of the search: in fork mode all processes
 * know it.
 */
#include "system/files.h"

#include "explore/arena.h"
#include "jobs/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_KEPT = 1 << 26 }; /* bytes of one file */

struct page {
    struct page *next;
    char *path, *content;
    size_t size;
    mode_t mode; /* 0: there was nothing */
    struct timespec times[2]; /* of the last access, of the last change */
};

static struct page **first_page; /* in the arena */

void journal_open(void) { first_page = arena_take(sizeof *first_page); }

static struct page *page_of(const char *path)
{
    for (struct page *page = *first_page; page; page = page->next)
        if (strcmp(page->path, path) == 0)
            return page;
    return NULL;
}

bool whole_name(const char *path, char *result)
{
    const char *name = strrchr(path, '/');
    char before[PATH_MAX];
    size_t size = name ? (size_t)(name - path) : 0;
    if (size >= sizeof before)
        return false;
    memcpy(before, path, size);
    before[size] = 0;
    if (!realpath(name ? (size ? before : "/") : ".", result))
        return false;
    size_t used = strlen(result);
    return (size_t)snprintf(result + used, PATH_MAX - used, "/%s", name ? name + 1 : path) < PATH_MAX - used;
}

static bool keep_content(struct page *page, size_t size)
{
    long file = syscall(SYS_openat, AT_FDCWD, page->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    page->content = arena_take(size + 1);
    while (page->size < size) {
        long n = syscall(SYS_read, file, page->content + page->size, size - page->size);
        if (n <= 0)
            break;
        page->size += (size_t)n;
    }
    syscall(SYS_close, file);
    return page->size == size;
}

static bool keep_page(struct page *page)
{
    struct stat there;
    if (syscall(SYS_newfstatat, AT_FDCWD, page->path, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    page->mode = there.st_mode;
    page->times[0] = there.st_atim;
    page->times[1] = there.st_mtim;
    if (S_ISDIR(there.st_mode))
        return true;
    if (S_ISREG(there.st_mode))
        return there.st_size <= MOST_KEPT && keep_content(page, (size_t)there.st_size);
    return S_ISCHR(there.st_mode); /* a terminal, /dev/null: nothing to put back */
}

void journal(const char *path)
{
    char name[PATH_MAX];
    if (!running || !whole_name(path, name) || page_of(name))
        return;
    jobs_alone(); /* SOUND: two executions at a time would see what the other one writes */
    struct page *page = arena_take(sizeof *page);
    page->path = strcpy(arena_take(strlen(name) + 1), name);
    if (!keep_page(page))
        learn_incomplete("the program changes a file that cannot be put back before each execution");
    page->next = *first_page;
    *first_page = page;
}

static bool is_same(long file, const struct page *page)
{
    char part[4096];
    size_t done = 0;
    for (;;) {
        long n = syscall(SYS_pread64, file, part, sizeof part, done);
        if (n <= 0)
            return n == 0 && done == page->size;
        if ((size_t)n > page->size - done || memcmp(part, page->content + done, (size_t)n) != 0)
            return false;
        done += (size_t)n;
    }
}

/* SOUND: a file that is as it was is not touched, since whoever ends this process may do so in the middle. */
static void restore_file(const struct page *page)
{
    struct stat there;
    if (syscall(SYS_newfstatat, AT_FDCWD, page->path, &there, 0) == 0 && there.st_mode != page->mode)
        syscall(SYS_chmod, page->path, page->mode & 07777);
    long file = syscall(SYS_openat, AT_FDCWD, page->path, O_RDWR | O_CREAT | O_CLOEXEC, page->mode & 07777);
    if (file < 0)
        return;
    bool same = is_same(file, page);
    for (size_t done = 0; !same && done < page->size;) {
        long n = syscall(SYS_pwrite64, file, page->content + done, page->size - done, done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (!same)
        syscall(SYS_ftruncate, file, page->size);
    if (!same)
        syscall(SYS_utimensat, file, NULL, page->times, 0);
    syscall(SYS_close, file);
}

/* What was made last is removed first: a directory after what was put into it. */
void journal_restore(void)
{
    for (struct page *page = first_page ? *first_page : NULL; page; page = page->next) {
        if (S_ISREG(page->mode))
            restore_file(page);
        else if (S_ISDIR(page->mode))
            syscall(SYS_mkdirat, AT_FDCWD, page->path, page->mode & 07777);
        else if (!page->mode && syscall(SYS_unlinkat, AT_FDCWD, page->path, 0) != 0)
            syscall(SYS_unlinkat, AT_FDCWD, page->path, AT_REMOVEDIR);
    }
}
