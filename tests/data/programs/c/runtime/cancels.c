/* expect: incomplete; reason: pthread_cancel is not supported; why: that the other one waits for ever is not its fault */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void give_back(void *mutex) { pthread_mutex_unlock(mutex); }

static void *serves(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
    for (;;)
        pthread_cond_wait(&work, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t server;
    pthread_create(&server, NULL, serves, NULL);
    pthread_cancel(server);
    pthread_join(server, NULL);
}
