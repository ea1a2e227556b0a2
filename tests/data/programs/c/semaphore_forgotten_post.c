/* expect: violated deadlock */
/* On one way out the place is not given back. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t place;
static atomic_int cancelled;

static void *visit(void *unused) {
    sem_wait(&place);
    if (atomic_load(&cancelled))
        return unused;
    sem_post(&place);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&place, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    atomic_store(&cancelled, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
