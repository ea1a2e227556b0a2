/* expect: violated use-after-free */
/* The last one frees the object; the other one has given back its reference, but still looks at the lock. */
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int references;
};

static void *release(void *argument) {
    struct object *object = argument;
    pthread_mutex_lock(&object->lock);
    int left = --object->references;
    pthread_mutex_unlock(&object->lock);
    if (left == 0)
        free(object);
    else if (pthread_mutex_trylock(&object->lock) == 0)
        pthread_mutex_unlock(&object->lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct object *object = calloc(1, sizeof *object);
    object->references = 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, release, object);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
