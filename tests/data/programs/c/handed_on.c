/* expect: violated race; why: who has written is exchanged with who has not, unless a third one may read it */
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
    told++;
    pthread_mutex_unlock(&second);
    return unused;
}
static void *look(void *result)
{
    pthread_mutex_lock(&second);
    int known = told;
    pthread_mutex_unlock(&second);
    if (known) /* but by whom? */
        *(int *)result = cell;
    return NULL;
}
int main(void)
{
    pthread_t threads[3];
    int result = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_create(&threads[2], NULL, look, &result);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return result > 1;
}
