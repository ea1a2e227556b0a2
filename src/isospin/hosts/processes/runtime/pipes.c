/* Descriptors: pipes and objects of shm_open are simulated; everything else is the system's. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FILES = 240, NOTHING = 0, READ_END, WRITE_END, SEGMENT, LARGEST = 1 << 16 };
static struct {
    int what;
    int64_t id;
    bool nonblocking;
} files[MOST_FILES];

bool is_simulated(int fd) { return fd >= 0 && fd < MOST_FILES && files[fd].what != NOTHING; }

/* A number that nothing else has: a descriptor of the system stands for it. */
static int reserve(int what, int64_t id, bool nonblocking)
{
    int fd = (int)syscall(SYS_open, "/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fd >= MOST_FILES)
        outside("so many open files");
    files[fd].what = what, files[fd].id = id, files[fd].nonblocking = nonblocking;
    return fd;
}

int shared_file(int64_t segment) { return reserve(SEGMENT, segment, false); }

bool segment_of_file(int fd, int64_t *segment)
{
    if (!is_simulated(fd) || files[fd].what != SEGMENT)
        return false;
    *segment = files[fd].id;
    return true;
}

EXPORT int pipe2(int ends[2], int flags)
{
    int64_t id = ASK(CALL_PIPE);
    int made[2] = {reserve(READ_END, id, flags & O_NONBLOCK), reserve(WRITE_END, id, flags & O_NONBLOCK)};
    if (made[0] < 0 || made[1] < 0)
        return -1;
    give(ends, made, sizeof made);
    return 0;
}

EXPORT int pipe(int ends[2]) { return pipe2(ends, 0); }

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
    void *volatile to = buffer;
    if (!is_simulated(fd)) {
        if (is_shared(to))
            outside("read of a file into shared memory");
        return syscall(SYS_read, fd, to, size);
    }
    if (files[fd].what != READ_END) {
        errno = EBADF;
        return -1;
    }
    if (size > LARGEST)
        size = LARGEST;
    char *spare = malloc(size + 1);
    struct question question = {.kind = CALL_PIPE_READ,
                                .args = {files[fd].id, (int64_t)size, files[fd].nonblocking},
                                .out = spare,
                                .room = (uint32_t)size};
    ssize_t result = ask(&question);
    int error = errno;
    if (result > 0)
        give(to, spare, (size_t)result);
    free(spare);
    errno = error;
    return result;
}

static ssize_t write_pipe(int fd, const char *data, size_t size)
{
    size_t done = 0;
    do { /* more than what is written in one piece goes bit by bit */
        size_t part = size - done < PIPE_BUF ? size - done : PIPE_BUF;
        ssize_t result = ASK_WITH(CALL_PIPE_WRITE, data + done, part, files[fd].id, files[fd].nonblocking);
        if (result < 0 && errno == EPIPE && !ignores_sigpipe)
            ends(13 /* SIGPIPE */);
        if (result < 0)
            return done ? (ssize_t)done : -1;
        done += (size_t)result;
    } while (done < size);
    return (ssize_t)done;
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
    if (is_simulated(fd) && files[fd].what != WRITE_END) {
        errno = EBADF;
        return -1;
    }
    char *spare = is_shared(from) ? malloc(size + 1) : NULL;
    const char *data = borrow(from, size, spare);
    ssize_t result = is_simulated(fd) ? write_pipe(fd, data, size) : syscall(SYS_write, fd, data, size);
    int error = errno;
    free(spare);
    errno = error;
    return result;
}

bool close_simulated(int fd)
{
    if (!is_simulated(fd))
        return false;
    if (files[fd].what != SEGMENT)
        ASK(CALL_CLOSE, files[fd].id, files[fd].what == WRITE_END);
    files[fd].what = NOTHING;
    return true;
}

EXPORT int close(int fd)
{
    if (fd == CHANNEL) {
        errno = EBADF;
        return -1;
    }
    close_simulated(fd);
    return (int)syscall(SYS_close, fd);
}

static int duplicate(int fd, int wanted)
{
    if (is_simulated(fd) && files[fd].what != SEGMENT)
        ASK(CALL_DUP, files[fd].id, files[fd].what == WRITE_END);
    if (is_simulated(fd))
        files[wanted] = files[fd];
    return wanted;
}

EXPORT int dup(int fd)
{
    int made = (int)syscall(SYS_dup, fd);
    if (made >= MOST_FILES)
        outside("so many open files");
    return made < 0 ? made : duplicate(fd, made);
}

EXPORT int dup2(int fd, int wanted)
{
    if (fd == wanted || (!is_simulated(fd) && !is_simulated(wanted)))
        return (int)syscall(SYS_dup2, fd, wanted);
    if (wanted >= 0 && wanted < 3)
        outside("dup2 of a pipe to standard input or output");
    if (wanted < 0 || wanted >= MOST_FILES)
        outside("dup2 to so high a number");
    close_simulated(wanted);
    int made = (int)syscall(SYS_dup2, fd, wanted);
    return made < 0 ? made : duplicate(fd, made);
}

EXPORT int dup3(int fd, int wanted, int flags)
{
    (void)flags;
    return dup2(fd, wanted);
}

static int file_control(int fd, int command, long argument)
{
    if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW)
        outside("fcntl with locks of files");
    if (!is_simulated(fd) || command == F_GETFD || command == F_SETFD)
        return (int)syscall(SYS_fcntl, fd, command, argument);
    if (command == F_GETFL)
        return (files[fd].what == WRITE_END ? O_WRONLY : O_RDONLY) | (files[fd].nonblocking ? O_NONBLOCK : 0);
    if (command == F_SETFL) {
        /* shared by all copies of the descriptor: known here only as long as there is one process */
        if (files[fd].nonblocking != !!(argument & O_NONBLOCK))
            outside("fcntl that changes O_NONBLOCK; use pipe2");
        return 0;
    }
    outside("fcntl of a pipe");
}

EXPORT int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    return file_control(fd, command, argument);
}

EXPORT int fcntl64(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    return file_control(fd, command, argument);
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
    extern FILE *_IO_fdopen(int, const char *);
    if (is_simulated(fd))
        outside("fdopen of a pipe; use read and write");
    return _IO_fdopen(fd, mode);
}
