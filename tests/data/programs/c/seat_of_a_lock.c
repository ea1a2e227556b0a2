/* expect: violated assertion; why: a lock that was freed while it was held says nothing about the next one in its seat */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t *lock;
static int last;
static void *one(void *unused)
{
    pthread_mutex_lock(lock);
    last = 1;
    pthread_mutex_unlock(lock);
    return unused;
}
static void *other(void *unused)
{
    pthread_mutex_lock(lock);
    last = 2;
    pthread_mutex_unlock(lock);
    return unused;
}
static pthread_mutex_t *new_lock(void)
{
    return calloc(1, sizeof(pthread_mutex_t)); /* as the initialiser makes it */
}
static void *work(void *unused)
{
    pthread_t threads[2];
    pthread_mutex_t *old = new_lock();
    pthread_mutex_lock(old);
    free(old);
    lock = new_lock();
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(last != 1);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
