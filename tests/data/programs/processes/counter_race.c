/* expect: violated assertion; line: 18 */
/* Two processes add to a counter in shared memory without a lock: an update can be lost. */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int *counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            *counter += 1;
            exit(0);
        }
    while (wait(NULL) > 0) {}
    assert(*counter == 2);
}
