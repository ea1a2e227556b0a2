/* expect: holds */
/* The reader closes the end that it does not use, and sees the end of the pipe. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends)) abort();
    if (fork() == 0) {
        close(ends[1]);
        while (read(ends[0], &byte, 1) > 0) {}
        exit(0);
    }
    close(ends[0]);
    if (write(ends[1], "ab", 2) != 2) abort();
    close(ends[1]);
    wait(NULL);
}
