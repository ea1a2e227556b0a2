/* N philosophers in a list that leads back to its start, each with a fork of its own: 3, 7, 15, 31 traces for N = 2 .. 5, and with
   rotations as many as in philosophers_ring.c. */
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct seat {
    pthread_mutex_t fork;
    int meals[2];
    struct seat *next;
};

static struct seat *table;

static void *dine(void *argument)
{
    struct seat *seat = argument;
    pthread_mutex_lock(&seat->fork);
    pthread_mutex_lock(&seat->next->fork);
    for (int i = 0; i < 2; i++)
        seat->meals[i]++;
    pthread_mutex_unlock(&seat->fork);
    pthread_mutex_unlock(&seat->next->fork);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    struct seat *last = NULL;
    for (int i = 0; i < N; i++) {
        struct seat *seat = calloc(1, sizeof *seat);
        pthread_mutex_init(&seat->fork, NULL);
        if (last)
            last->next = seat;
        else
            table = seat;
        last = seat;
    }
    last->next = table;
    struct seat *seat = table;
    for (int i = 0; i < N; i++, seat = seat->next)
        pthread_create(&threads[i], NULL, dine, seat);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
