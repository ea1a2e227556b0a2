/* expect: holds */
/* A loop that waits does not go round for ever. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int ready;
static int data;

static void *work(void *unused) {
    while (atomic_flag_test_and_set(&lock))
        sched_yield();
    data++;
    atomic_flag_clear(&lock);
    atomic_fetch_add(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    while (atomic_load(&ready) < 2)
        ;
    assert(data == 2);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
