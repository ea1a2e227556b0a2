/* expect: violated race; why: who has written is exchanged with who has not, unless he may come back to what he wrote */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken, cell;
static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = taken++;
        pthread_mutex_unlock(&lock);
        if (mine > 2)
            return unused;
        if (mine != 1)
            cell++; /* the same worker twice, or two of them at a time */
    }
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return cell > 2;
}
