/* expect: holds */
/* Plain accesses that something orders: a semaphore, a pipe, the end of a child; and bytes that lie side by side. */
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    sem_t mutex;
    int counter, sent, last;
    char mine, its;
};

int main(void)
{
    struct shared *s = mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    char byte = 0;
    sem_init(&s->mutex, 1, 1);
    if (pipe(ends)) abort();
    if (fork() == 0) {
        s->its = 1;
        sem_wait(&s->mutex);
        s->counter++;
        sem_post(&s->mutex);
        s->sent = 7;
        if (write(ends[1], &byte, 1) != 1) abort();
        s->last = 8;
        _exit(0);
    }
    s->mine = 2;
    sem_wait(&s->mutex);
    s->counter++;
    sem_post(&s->mutex);
    if (read(ends[0], &byte, 1) != 1) abort();
    assert(s->sent == 7);
    wait(0);
    assert(s->counter == 2 && s->last == 8 && s->its == 1);
    return 0;
}
