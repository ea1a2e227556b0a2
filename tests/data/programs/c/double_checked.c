/* expect: violated race */
/* The first check looks without a lock at what the lock protects. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int filled, table;

static void *use(void *unused) {
    if (!filled) {
        pthread_mutex_lock(&lock);
        if (!filled) {
            table = 7;
            filled = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return table == 7 ? unused : NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
