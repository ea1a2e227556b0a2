/* expect: violated exception */
/* An update between two critical sections is lost; the program finds out by itself and says so by its status. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static int get(void) {
    pthread_mutex_lock(&lock);
    int value = counter;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *add(void *unused) {
    int value = get();
    pthread_mutex_lock(&lock);
    counter = value + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return counter == 2 ? 0 : 1;
}
