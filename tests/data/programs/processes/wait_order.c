/* expect: violated assertion; line: 14 */
/* The parent takes the status that it gets last for that of the second child. */
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status = 0;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) exit(i);
    for (int i = 0; i < 2; i++) wait(&status);
    assert(WEXITSTATUS(status) == 1);
}
