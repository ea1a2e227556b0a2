/* expect: violated assertion; line: 19 */
/* The middle process touches the second cell only if it finds the first one set. */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    int *cells = mmap(NULL, 2 * sizeof *cells, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        cells[0] = 1;
        exit(0);
    }
    if (fork() == 0) {
        if (cells[0]) cells[1] = 1;
        exit(0);
    }
    assert(cells[1] == 0);
}
