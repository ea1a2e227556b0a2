/* expect: violated assertion; line: 19; options: --no-deadlock */
/* The first child fails only when the second one waits for ever: the parent sees it before that. */
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    sem_t *one = mmap(NULL, sizeof *one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(one, 1, 1);
    if (fork() == 0) exit(sem_trywait(one) == 0);
    if (fork() == 0) exit(sem_wait(one));
    for (int i = 0; i < 2; i++) {
        wait(&status);
        assert(WEXITSTATUS(status) == 0);
    }
}
