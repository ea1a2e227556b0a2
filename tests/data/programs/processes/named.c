/* expect: holds */
/* A named semaphore and a named shared memory object, copied into by a function of the library. */
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int file = shm_open("/isospin-text", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || ftruncate(file, 100)) abort();
    char *text = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (fork() == 0) {
        sem_t *ready = sem_open("/isospin-ready", O_CREAT, 0600, 0);
        snprintf(text, 100, "%s", "a text that is longer than one register is wide");
        sem_post(ready);
        exit(0);
    }
    sem_t *ready = sem_open("/isospin-ready", O_CREAT, 0600, 0);
    sem_wait(ready);
    printf("%s\n", text);
    assert(strlen(text) == 47);
    sem_unlink("/isospin-ready");
    shm_unlink("/isospin-text");
}
