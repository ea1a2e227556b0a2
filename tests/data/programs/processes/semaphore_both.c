/* expect: holds */
/* Both semaphores are taken by one operation: no deadlock. */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int set;

static void change_both(int first, int second, int amount)
{
    struct sembuf operations[2] = {
        {(unsigned short)first, (short)amount, 0}, {(unsigned short)second, (short)amount, 0}};
    if (semop(set, operations, 2)) abort();
}

int main(void)
{
    unsigned short ones[2] = {1, 1};
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETALL, ones);
    if (fork() == 0) {
        change_both(0, 1, -1);
        change_both(0, 1, 1);
        exit(0);
    }
    change_both(1, 0, -1);
    change_both(1, 0, 1);
    wait(NULL);
    semctl(set, 0, IPC_RMID);
}
