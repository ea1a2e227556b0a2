/* expect: holds */
/* What an end gives back, and what nobody is there for any more. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status, ends[2], set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf take = {0, -1, SEM_UNDO}, zero = {0, 0, IPC_NOWAIT};
    semctl(set, 0, SETVAL, 1);
    if (fork() == 0) {
        semop(set, &take, 1);
        exit(0);
    }
    wait(NULL);
    assert(semctl(set, 0, GETVAL) == 1); /* undone */
    assert(semop(set, &zero, 1) == -1 && errno == EAGAIN);
    semctl(set, 0, IPC_RMID);
    assert(semop(set, &take, 1) == -1);

    if (pipe2(ends, O_NONBLOCK)) abort();
    char byte;
    assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
    close(ends[0]);
    if (fork() == 0) {
        write(ends[1], "x", 1);
        abort();
    }
    wait(&status);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    signal(SIGPIPE, SIG_IGN);
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);

    struct mq_attr small = {.mq_maxmsg = 2, .mq_msgsize = 4};
    mqd_t queue = mq_open("/isospin-ends", O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &small);
    char message[4];
    unsigned priority;
    assert(mq_send(queue, "low", 4, 1) == 0 && mq_send(queue, "top", 4, 2) == 0 && mq_send(queue, "out", 4, 3) == -1);
    assert(mq_receive(queue, message, 4, &priority) == 4 && priority == 2 && message[0] == 't');
    assert(mq_open("/isospin-ends", O_RDWR | O_CREAT | O_EXCL, 0600, &small) == (mqd_t)-1 && errno == EEXIST);
    mq_unlink("/isospin-ends");
}
