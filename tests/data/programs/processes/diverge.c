/* expect: violated divergence; line: 13; options: --max-step 1 */
/* A child goes round for ever if the other one was first. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    atomic_int *first = mmap(NULL, sizeof *first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        volatile int late = atomic_exchange(first, 1);
        while (late) {}
        exit(0);
    }
    atomic_exchange(first, 1);
}
