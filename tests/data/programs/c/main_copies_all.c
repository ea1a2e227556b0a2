/* expect: violated assertion; why: main copies the cells of all threads at once, and sees which of them was first */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int begun;
static int cell[4];

static void *work(void *given)
{
    if (atomic_fetch_add(&begun, 1) == 0)
        cell[(long)given] = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int seen[4];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    memcpy(seen, cell, sizeof seen);
    isospin_assert(seen[2] == 0);
    return 0;
}
