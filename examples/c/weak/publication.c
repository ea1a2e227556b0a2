/* A new version is made and published by one pointer, as with read-copy-update; readers follow the pointer without a lock.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed /* readers may follow the pointer to fields that are not there yet */
#else
#define PUBLISH memory_order_release
#endif

struct settings {
    int width, height;
};

static struct settings versions[3] = {{1, 1}};
static _Atomic(struct settings *) current = &versions[0];

static void *update(void *unused)
{
    for (int i = 1; i < 3; i++) {
        versions[i].width = versions[i].height = i + 1;
        atomic_store_explicit(&current, &versions[i], PUBLISH);
    }
    return unused;
}

static void *look(void *unused)
{
    const struct settings *seen = atomic_load_explicit(&current, memory_order_consume);
    assert(seen->width == seen->height);
    return unused;
}

int main(void)
{
    pthread_t writer, readers[2];
    pthread_create(&writer, NULL, update, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
}
