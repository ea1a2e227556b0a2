/* expect: violated use-after-free; why: who has freed a block and kept its address is not like who never had one */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int taken, told;
static void *work(void *unused)
{
    char *block = NULL;
    pthread_mutex_lock(&first);
    int mine = taken++;
    pthread_mutex_unlock(&first);
    if (mine == 0) {
        free(malloc(16));
        block = malloc(16); /* in the same seat, and behind it */
        free(block);
    }
    mine = 0;
    pthread_mutex_lock(&second);
    int last = told++;
    pthread_mutex_unlock(&second);
    if (last && block)
        *block = 1;
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
