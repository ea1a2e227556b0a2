/* Two threads store N times each, one loads twice: by what is read, (2N + 1)^2 - N(N - 1) - 2N executions; by the order
 * of all accesses, (2N + 2)! / (2 N! N!). */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;
static int numbers[2] = {1, 2};
static int seen[2];

static void *store(void *number)
{
    for (int i = 0; i < N; i++)
        atomic_store(&x, 10 * *(int *)number + i);
    return NULL;
}

static void *load(void *unused)
{
    seen[0] = atomic_load(&x);
    seen[1] = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, store, &numbers[i]);
    pthread_create(&threads[2], NULL, load, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
