/* expect: holds; executions: 1; options: --search optimal; why: whoever stores its number last, main does not ask whose
 * it is */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int last;
static int numbers[3];

static void *work(void *number)
{
    atomic_store(&last, *(int *)number);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(atomic_load(&last) != 0);
    return 0;
}
