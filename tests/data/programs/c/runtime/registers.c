/* expect: holds */
/* Values in registers that a call must keep are local state of a thread: others run in between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;

static void *work(void *argument) {
    register long a __asm__("rbx") = (long)argument;
    register long b __asm__("r12") = a * 3;
    register long c __asm__("r13") = a * 5;
    atomic_fetch_add(&shared, 1);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
    assert(a == (long)argument && b == a * 3 && c == a * 5);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 7));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
