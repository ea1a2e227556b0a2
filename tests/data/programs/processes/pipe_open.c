/* expect: violated deadlock; line: 13 */
/* The reader waits for the end of the pipe, and holds its other end itself: deadlock. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends)) abort();
    if (fork() == 0) {
        while (read(ends[0], &byte, 1) > 0) {}
        exit(0);
    }
    close(ends[0]);
    if (write(ends[1], "ab", 2) != 2) abort();
    close(ends[1]);
    wait(NULL);
}
