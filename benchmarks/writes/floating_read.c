/* N threads store once, one loads: by what is read, N + 1 executions; by the order of all accesses, (N + 1)!. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 6
#endif

static atomic_int x;
static int numbers[N], seen;

static void *store(void *number)
{
    atomic_store(&x, *(int *)number);
    return NULL;
}

static void *load(void *unused)
{
    seen = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t threads[N + 1];
    for (int i = 0; i < N; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, store, &numbers[i]);
    }
    pthread_create(&threads[N], NULL, load, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
