/* expect: holds */
/* A dispatcher rings the bell of one of N servers, whichever it likes, and waits until the request is served; twice.
 * Written with the names of VeriSoft: VS_toss(n) is one of 0 .. n, and all of them are tried.
 *
 * The servers can change places if their bells and the outcomes of the toss change with them.  They are told apart by
 * numbers that they were given, so somebody has to say so, which dispatcher_fork.permutations does:
 *
 *     isospin check dispatcher_fork.c --permutation dispatcher_fork.permutations */
#include <isospin.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <unistd.h>

#define N 3
#define SERVED N /* the semaphore behind the bells */

static int semaphores, *count;

static int change(int number, int amount)
{
    struct sembuf operation = {.sem_num = (unsigned short)number, .sem_op = (short)amount};
    return semop(semaphores, &operation, 1);
}

static void server(int me)
{
    while (change(me, -1) == 0) {
        *count += 1;
        change(SERVED, 1);
    }
    exit(0); /* the semaphores are gone */
}

int main(void)
{
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    semaphores = semget(IPC_PRIVATE, N + 1, 0600);
    for (int i = 0; i < N; i++)
        if (fork() == 0) server(i);
    for (int round = 1; round <= 2; round++) {
        change(VS_toss(N - 1), 1);
        change(SERVED, -1);
        VS_assert(*count == round);
    }
    semctl(semaphores, 0, IPC_RMID);
}
