/* expect: holds */
/* The same with an atomic counter, in a segment of System V. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int segment = shmget(IPC_PRIVATE, sizeof(atomic_int), 0600);
    atomic_int *counter = shmat(segment, NULL, 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            atomic_fetch_add(counter, 1);
            exit(0);
        }
    while (wait(NULL) > 0) {}
    assert(atomic_load(counter) == 2);
    shmdt(counter);
    shmctl(segment, IPC_RMID, NULL);
}
