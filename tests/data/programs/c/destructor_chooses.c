/* expect: violated assertion; why: a destructor of thread-specific data tells one of two threads apart by what it is
 * given */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

struct job {
    long done;
};

static struct job jobs[2];
static pthread_key_t key;
static atomic_long begun, order;

static void end(void *given)
{
    long mine = (long)given;
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(mine == (long)&jobs[0] && place == 1));
}

static void *work(void *given)
{
    struct job *job = given;
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_setspecific(key, job);
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    atomic_fetch_add(&begun, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_key_create(&key, end);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
