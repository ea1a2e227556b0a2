/* expect: holds; options: --leaks */
/* Values by key, and the destructor that frees them. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *unused) {
    int *own = malloc(sizeof *own);
    *own = 4;
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, own);
    assert(*(int *)pthread_getspecific(key) == 4);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_key_create(&key, free);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_key_delete(key);
    return 0;
}
