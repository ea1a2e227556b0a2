/* N philosophers, each a process; the forks are N semaphores of System V.  All take the left one first, so they can
 * starve: the program of VeriSoft's Table 1, written afresh. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#ifndef N
#define N 3
#endif

static int forks;

static void change(int number, int amount)
{
    struct sembuf operation = {.sem_num = (unsigned short)number, .sem_op = (short)amount};
    if (semop(forks, &operation, 1) < 0) {
        perror("semop");
        exit(1);
    }
}

static void philosopher(int me)
{
    int left = me, right = (me + 1) % N;
    printf("philosopher %d thinks\n", me);
    change(left, -1);
    change(right, -1);
    printf("philosopher %d eats\n", me);
    change(left, 1);
    change(right, 1);
    exit(0);
}

int main(void)
{
    int me;
    forks = semget(IPC_PRIVATE, N, 0600);
    for (int i = 0; i < N; i++) semctl(forks, i, SETVAL, 1);
    for (me = 0; me < N - 1; me++)
        if (fork() == 0) philosopher(me);
    philosopher(me);
}
