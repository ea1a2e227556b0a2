/* expect: incomplete; reason: sem_open; why: it would not have failed, so the status is not the program's fault */
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
    sem_t *gate = sem_open("/isospin-gate", O_CREAT, 0600, 1);
    if (gate == SEM_FAILED)
        return 1;
    sem_close(gate);
    return sem_unlink("/isospin-gate");
}
