/* A ring of threads that know their cells by pointers, each writes its cell and reads the next one: 2^N - 1 traces, and with
   rotations 2, 3, 5 for N = 2, 3, 4. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

struct place {
    atomic_int *mine, *next;
};

static atomic_int x[N];

static void *one(void *argument)
{
    struct place *place = argument;
    atomic_store_explicit(place->mine, 1, memory_order_relaxed);
    (void)atomic_load_explicit(place->next, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    struct place places[N];
    for (int i = 0; i < N; i++) {
        places[i].mine = &x[i];
        places[i].next = &x[(i + 1) % N];
        pthread_create(&threads[i], NULL, one, &places[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
