/* N philosophers who know their forks by pointers take the left one first: 3, 7, 15, 31 traces for N = 2 .. 5, and with rotations
   at most 2, 3 for N = 2, 3. */
#include <pthread.h>

#ifndef N
#define N 3
#endif

struct seat {
    pthread_t thread;
    pthread_mutex_t *left, *right;
};

static pthread_mutex_t forks[N];
static struct seat seats[N];

static void *dine(void *argument)
{
    struct seat *seat = argument;
    pthread_mutex_lock(seat->left);
    pthread_mutex_lock(seat->right);
    pthread_mutex_unlock(seat->left);
    pthread_mutex_unlock(seat->right);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_init(&forks[i], NULL);
        seats[i].left = &forks[i];
        seats[i].right = &forks[(i + 1) % N];
    }
    for (int i = 0; i < N; i++)
        pthread_create(&seats[i].thread, NULL, dine, &seats[i]);
    for (int i = 0; i < N; i++)
        pthread_join(seats[i].thread, NULL);
    return 0;
}
