/* N threads insert four messages each into a hash table: 1, 8, 64, 512 traces for N = 11 .. 14.
   Flanagan, Godefroid, POPL 2005. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 11
#endif
enum { SIZE = 128, MOST = 4 };

static atomic_int table[SIZE];

static void *insert(void *argument)
{
    int number = (int)(long)argument;
    for (int m = 1; m <= MOST; m++) {
        int w = m * 11 + number, h = w * 7 % SIZE, empty = 0;
        while (!atomic_compare_exchange_strong_explicit(&table[h], &empty, w, memory_order_relaxed, memory_order_relaxed)) {
            h = (h + 1) % SIZE;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, insert, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
