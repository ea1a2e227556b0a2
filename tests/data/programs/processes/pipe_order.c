/* expect: violated assertion; line: 20 */
/* As pipe_sum.c, but the first child is thought to be the first to send. */
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], number;
    if (pipe(ends)) abort();
    for (int i = 1; i <= 2; i++)
        if (fork() == 0) {
            close(ends[0]);
            if (write(ends[1], &i, sizeof i) != sizeof i) abort();
            exit(0);
        }
    close(ends[1]);
    if (read(ends[0], &number, sizeof number) != sizeof number) abort();
    assert(number == 1);
}
