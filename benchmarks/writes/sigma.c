/* Main counts while it starts N threads, and each sets what the number that it finds is the index of: N! executions by
 * what is read.  The program of SV-COMP, with atomic accesses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 6
#endif

static atomic_int last, cells[N];

static void *set(void *unused)
{
    atomic_store(&cells[atomic_load(&last)], 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        atomic_store(&last, i);
        pthread_create(&threads[i], NULL, set, NULL);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
