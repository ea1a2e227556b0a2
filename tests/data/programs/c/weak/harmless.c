/* Accesses weaker than seq_cst that cannot show anything: harmless WAY. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int shared, own[2];
static int way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    atomic_int *mine = argument;
    switch (way) {
    case 'l': /* under a lock */
        pthread_mutex_lock(&lock);
        atomic_store_explicit(&shared, atomic_load_explicit(&shared, memory_order_relaxed) + 1, memory_order_relaxed);
        pthread_mutex_unlock(&lock);
        break;
    case 'o': /* each thread has its own */
        atomic_fetch_add_explicit(mine, 1, memory_order_relaxed);
        break;
    case 'r': /* nobody writes while there are several threads */
        assert(atomic_load_explicit(&shared, memory_order_relaxed) == 0);
        break;
    case 'c': /* a count of references: each update knows what the one before it knew */
        atomic_fetch_add_explicit(&shared, 1, memory_order_acq_rel);
        break;
    case 'f': /* a fence beside what needs none */
        atomic_fetch_add(&shared, 1);
        atomic_thread_fence(memory_order_acq_rel);
        break;
    case 'x': /* not harmless: the count is read while others change it */
        atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
        break;
    }
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread[2];
    way = count > 1 ? words[1][0] : 0;
    atomic_store_explicit(&shared, 0, memory_order_relaxed); /* alone */
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return atomic_load_explicit(&shared, memory_order_relaxed) > 2; /* alone again */
}
