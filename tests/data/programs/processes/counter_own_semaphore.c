/* expect: violated assertion; line: 29 */
/* The semaphore is not in shared memory: each process has its own, and nothing is protected. */
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {

    int counter;
};

static sem_t lock;

int main(void)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&lock, 1, 1);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            sem_wait(&lock);
            shared->counter += 1;
            sem_post(&lock);
            exit(0);
        }
    while (wait(NULL) > 0) {}
    assert(shared->counter == 2);
}
