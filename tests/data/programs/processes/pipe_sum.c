/* expect: holds */
/* Two children send numbers through one pipe; the sum does not depend on the order. */
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], sum = 0, got = 0, number;
    if (pipe(ends)) abort();
    for (int i = 1; i <= 2; i++)
        if (fork() == 0) {
            close(ends[0]);
            if (write(ends[1], &i, sizeof i) != sizeof i) abort();
            exit(0);
        }
    close(ends[1]);
    while (read(ends[0], &number, sizeof number) == sizeof number) sum += number, got++;
    assert(sum == 3 && got == 2);
}
