/* expect: holds */
/* The example of runtime/fibers/region.h: every execution begins with count == 1, and each thread finds its own range. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *block[3];

static void *work(void *argument)
{
    int number = *(int *)argument;
    block[number] = malloc(16);
    assert((uintptr_t)block[number] == 0x100000200030ul + (uintptr_t)number * 0x40000000ul);
    assert((uintptr_t)&number / 0x40000000ul == 0x4000ul + (uintptr_t)number);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int numbers[3] = {0, 1, 2};
    assert(count == 1);
    for (int i = 1; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 1; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(count == 3);
    for (int i = 1; i < 3; i++)
        free(block[i]);
    return 0;
}
