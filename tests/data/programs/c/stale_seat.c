/* expect: violated use-after-free; why: a pointer to a freed block is none to the block that took its seat */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int taken, told;
static void *work(void *unused)
{
    pthread_mutex_lock(&first);
    int mine = taken++;
    pthread_mutex_unlock(&first);
    char *old = malloc(16), *block = old;
    if (mine == 0) {
        free(old);
        block = malloc(16);
    }
    mine = 0;
    *block = 0;
    pthread_mutex_lock(&second);
    int last = told++;
    pthread_mutex_unlock(&second);
    if (last)
        *old = 0;
    free(block);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
