/* expect: holds */
/* One cell between a producer and a consumer. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int cell, full;

static void put(int value) {
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock);
    cell = value;
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int get(void) {
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    int value = cell;
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return value;
}

static void *produce(void *unused) {
    put(1);
    put(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    int first = get();
    int second = get();
    assert(first == 1 && second == 2);
    pthread_join(thread, NULL);
    return 0;
}
