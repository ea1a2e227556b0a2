/* expect: violated deadlock; line: 14 */
/* Two processes take two semaphores in different orders: deadlock. */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int set;

static void change(int number, int amount)
{
    struct sembuf operation = {(unsigned short)number, (short)amount, 0};
    if (semop(set, &operation, 1)) abort();
}

int main(void)
{
    unsigned short ones[2] = {1, 1};
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETALL, ones);
    if (fork() == 0) {
        change(0, -1), change(1, -1);
        change(1, 1), change(0, 1);
        exit(0);
    }
    change(1, -1), change(0, -1);
    change(0, 1), change(1, 1);
    wait(NULL);
    semctl(set, 0, IPC_RMID);
}
