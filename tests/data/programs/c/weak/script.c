/* Atomic accesses as the arguments say, one argument for each thread: letters in threes, what to do, where, in which order.
 *
 *     S store  L load  A add one  F fence      x y z      0 relaxed 2 acquire 3 release ... 5
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int memory[3];

static void *work(void *script)
{
    for (const char *at = script; *at; at += 3) {
        atomic_int *where = &memory[at[1] - 'x'];
        memory_order order = (memory_order)(at[2] - '0');
        switch (at[0]) {
        case 'S': atomic_store_explicit(where, 7, order); break;
        case 'L': (void)atomic_load_explicit(where, order); break;
        case 'A': atomic_fetch_add_explicit(where, 1, order); break;
        case 'F': atomic_thread_fence(order); break;
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread[4];
    for (int i = 1; i < count && i <= 4; i++)
        pthread_create(&thread[i - 1], NULL, work, words[i]);
    for (int i = 1; i < count && i <= 4; i++)
        pthread_join(thread[i - 1], NULL);
}
