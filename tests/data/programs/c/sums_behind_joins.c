/* expect: holds; executions: 1; options: --search optimal; why: main looks at the results of threads with numbers right
 * behind its joins; they are the same for all, which is known before it looks */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int last, cell[3];
static int done[3];

static void *work(void *number)
{
    int i = (int)(intptr_t)number;
    atomic_fetch_add(&cell[i], 1);
    atomic_exchange(&last, 1);
    done[i] = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += done[i];
    assert(sum == 3);
    assert(atomic_load(&last) == 1);
}
