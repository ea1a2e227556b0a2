/* expect: violated assertion; line: 18; options: --memory rc11; why: a round that goes round again may have had an effect */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int slot[3], tail; /* slot[tail] is free, or tail is behind */

static void *enqueue(void *unused)
{
    for (;;) {
        int last = atomic_load(&tail), none = 0;
        if (atomic_compare_exchange_strong(&slot[last], &none, 1)) {
            atomic_compare_exchange_strong(&tail, &last, last + 1);
            return unused;
        }
        int helped = atomic_compare_exchange_strong(&tail, &last, last + 1);
        /* the other one has taken the slot, and has not moved the tail yet */
        assert(!helped);
    }
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enqueue, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
