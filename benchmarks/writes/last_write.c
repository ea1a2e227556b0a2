/* N threads store once; main loads when they have ended: by what is read, N executions; by the order of stores, N!. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;
static int numbers[N];

static void *work(void *number)
{
    atomic_store(&x, *(int *)number);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&x) == 0;
}
