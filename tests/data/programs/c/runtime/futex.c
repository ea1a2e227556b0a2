/* expect: violated deadlock; message: wait */
/* What C++ waits by: whoever finds the expected value sleeps until he is woken.  To wake only one of two is too little. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint gate, late;
static int data;

static void *wait(void *unused) {
    while (gate == 0)
        assert(syscall(SYS_futex, &gate, FUTEX_WAIT_PRIVATE, 0, NULL) == 0 || errno == EAGAIN);
    assert(data == 1);
    return unused;
}

static void *open_gate(void *unused) {
    data = 1;
    gate = 1;
    long woken = syscall(SYS_futex, &gate, FUTEX_WAKE_PRIVATE, data == 1 ? 1 : INT_MAX);
    assert(woken <= 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    struct timespec second = {1, 0};
    assert(syscall(SYS_futex, &late, FUTEX_WAIT, 0, &second) == -1 && errno == ETIMEDOUT);
    pthread_create(&threads[0], NULL, wait, NULL);
    pthread_create(&threads[1], NULL, wait, NULL);
    pthread_create(&threads[2], NULL, open_gate, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
