/* expect: violated race */
/* One of the threads forgets the lock. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *careful(void *unused) {
    pthread_mutex_lock(&lock);
    total += 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *careless(void *unused) {
    total += 3;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, careful, NULL);
    pthread_create(&b, NULL, careless, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return total == 5 ? 0 : 1;
}
