/* expect: holds */
/* The same with a POSIX semaphore in the shared memory: no update is lost. */
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    sem_t lock;
    int counter;
};

int main(void)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->lock, 1, 1);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            sem_wait(&shared->lock);
            shared->counter += 1;
            sem_post(&shared->lock);
            exit(0);
        }
    while (wait(NULL) > 0) {}
    assert(shared->counter == 2);
}
