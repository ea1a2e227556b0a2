/* expect: violated crash; line: 17 */
/* A child follows a pointer that another one has not set yet. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int number = 1;

int main(void)
{
    int **shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        *shared = &number;
        exit(0);
    }
    if (fork() == 0) exit(**shared);
    while (wait(NULL) > 0) {}
}
