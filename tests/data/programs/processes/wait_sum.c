/* expect: holds */
/* The parent adds the statuses of its children, in whatever order they end. */
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status, sum = 0;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) exit(i);
    for (int i = 0; i < 3; i++) wait(&status), sum += WEXITSTATUS(status);
    assert(sum == 3);
}
