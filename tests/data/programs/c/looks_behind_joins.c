/* expect: violated assertion; why: main looks at results of threads with numbers in the step in which it has joined
 * them, and goes on to look at something else: over execution graphs, only what it looks at later was compared */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int cell[2];
static int saw[2];

static void *work(void *number)
{
    int i = (int)(intptr_t)number;
    saw[i] = atomic_load_explicit(&cell[1 - i], memory_order_acquire);
    atomic_store(&cell[i], 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int late = saw[0];
    int value = atomic_load(&cell[0]);
    assert(!late || !value);
}
