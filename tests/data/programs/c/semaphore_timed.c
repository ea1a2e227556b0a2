/* expect: violated assertion */
/* Who waits for a semaphore with a time-out may go without it. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t place;

static void *work(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    int result = sem_timedwait(&place, &until);
    assert(result == 0);
    sem_post(&place);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&place, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
