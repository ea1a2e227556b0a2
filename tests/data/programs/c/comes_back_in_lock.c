/* expect: violated race; why: who writes again while he has a lock came back from the place where he waited for it */
#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int taken, told, cell;
static void *work(void *unused)
{
    pthread_mutex_lock(&first);
    int mine = taken++;
    pthread_mutex_unlock(&first);
    if (mine == 0)
        cell = 1;
    pthread_mutex_lock(&second);
    if (told++ == 0)
        cell = 1; /* his clock is that of the first time, if he is the same one */
    pthread_mutex_unlock(&second);
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
