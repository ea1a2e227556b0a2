/* Message queues, of System V and of POSIX. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <time.h>

enum { LARGEST = 1 << 16, FIRST_QUEUE = 1 << 20 /* above all file descriptors */ };

EXPORT int msgget(key_t key, int flags) { return (int)ASK(CALL_MSGGET, key, flags); }

EXPORT int msgsnd(int id, const void *message, size_t size, int flags)
{
    if (size > LARGEST) {
        errno = EINVAL;
        return -1;
    }
    char *spare = malloc(sizeof(long) + size);
    const char *whole = borrow(message, sizeof(long) + size, spare);
    long type;
    memcpy(&type, whole, sizeof type);
    int result = (int)ASK_WITH(CALL_MSGSND, whole + sizeof type, size, id, type, flags);
    int error = errno;
    free(spare);
    errno = error;
    return result;
}

EXPORT ssize_t msgrcv(int id, void *message, size_t size, long type, int flags)
{
    char *spare = malloc(sizeof(long) + LARGEST);
    struct question question = {
        .kind = CALL_MSGRCV, .args = {id, (int64_t)size, type, flags}, .out = spare, .room = sizeof(long) + LARGEST};
    ssize_t result = ask(&question);
    int error = errno;
    if (result >= 0)
        give(message, spare, question.got);
    free(spare);
    errno = error;
    return result;
}

EXPORT int msgctl(int id, int command, struct msqid_ds *unused)
{
    (void)unused;
    if (command != IPC_RMID)
        outside("msgctl other than IPC_RMID");
    return (int)ASK(CALL_MSGCTL, id, command);
}

/* ------------------------------------------------------------------------------------------- POSIX */

static int flags_of(mqd_t queue) { return (int)((unsigned)queue >> 28); }

static int64_t number_of(mqd_t queue)
{
    int64_t number = (queue & 0xfffffff) - FIRST_QUEUE;
    if (number < 0)
        outside("a message queue that was not opened");
    return number;
}

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
    struct mq_attr given = {.mq_maxmsg = 10, .mq_msgsize = 8192};
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        (void)va_arg(list, mode_t);
        struct mq_attr *attributes = va_arg(list, struct mq_attr *);
        va_end(list);
        if (attributes)
            given = *attributes;
    }
    int64_t number = ASK_WITH(CALL_MQ_OPEN, name, strlen(name), flags, given.mq_maxmsg, given.mq_msgsize);
    if (number < 0)
        return -1;
    return (mqd_t)(FIRST_QUEUE + number) | (flags & O_NONBLOCK ? 1 << 28 : 0);
}

static int send_message(mqd_t queue, const char *message, size_t size, unsigned priority, bool timed)
{
    char *spare = malloc(size + 1);
    const void *data = borrow(message, size, spare);
    int result = (int)ASK_WITH(CALL_MQ_SEND, data, size, number_of(queue), priority, flags_of(queue) & 1, timed);
    int error = errno;
    free(spare);
    errno = error;
    return result;
}

EXPORT int mq_send(mqd_t queue, const char *message, size_t size, unsigned priority)
{
    return send_message(queue, message, size, priority, false);
}

EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority, const struct timespec *limit)
{
    (void)limit;
    return send_message(queue, message, size, priority, true);
}

static ssize_t receive_message(mqd_t queue, char *message, size_t size, unsigned *priority, bool timed)
{
    char *spare = malloc(sizeof(unsigned) + LARGEST);
    struct question question = {.kind = CALL_MQ_RECEIVE,
                                .args = {number_of(queue), (int64_t)size, flags_of(queue) & 1, timed},
                                .out = spare,
                                .room = sizeof(unsigned) + LARGEST};
    ssize_t result = ask(&question);
    int error = errno;
    if (result >= 0) {
        give(message, spare + sizeof(unsigned), (size_t)result);
        if (priority)
            give(priority, spare, sizeof(unsigned));
    }
    free(spare);
    errno = error;
    return result;
}

EXPORT ssize_t mq_receive(mqd_t queue, char *message, size_t size, unsigned *priority)
{
    return receive_message(queue, message, size, priority, false);
}

EXPORT ssize_t mq_timedreceive(mqd_t queue, char *message, size_t size, unsigned *priority,
                               const struct timespec *limit)
{
    (void)limit;
    return receive_message(queue, message, size, priority, true);
}

EXPORT int mq_close(mqd_t queue)
{
    number_of(queue);
    return 0;
}

EXPORT int mq_unlink(const char *name) { return (int)ASK_WITH(CALL_MQ_UNLINK, name, strlen(name)); }

EXPORT int mq_getattr(mqd_t queue, struct mq_attr *attributes)
{
    int64_t found[3];
    struct question question = {
        .kind = CALL_MQ_GETATTR, .args = {number_of(queue)}, .out = found, .room = sizeof found};
    int result = (int)ask(&question);
    if (result < 0)
        return result;
    struct mq_attr now = {.mq_flags = flags_of(queue) & 1 ? O_NONBLOCK : 0,
                          .mq_maxmsg = found[0],
                          .mq_msgsize = found[1],
                          .mq_curmsgs = found[2]};
    give(attributes, &now, sizeof now);
    return 0;
}
