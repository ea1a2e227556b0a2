/* Double-checked locking: who finds the object there does not take the lock.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed /* the object may be seen before it is made */
#else
#define PUBLISH memory_order_release
#endif

struct object {
    int made;
};

static struct object only;
static _Atomic(struct object *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *get(void)
{
    struct object *found = atomic_load_explicit(&instance, memory_order_acquire);
    if (found)
        return found;
    pthread_mutex_lock(&lock);
    found = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!found) {
        found = &only;
        found->made++;
        atomic_store_explicit(&instance, found, PUBLISH);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *use(void *unused)
{
    assert(get()->made == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
