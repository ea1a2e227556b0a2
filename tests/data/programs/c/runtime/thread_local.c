/* expect: holds */
/* Each thread has its own, fresh in every execution, and others may be given its address; errno too. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static _Thread_local int value = 5;
static _Thread_local char large[3000];
static int *of_main;

static void *work(void *unused) {
    (void)unused;
    assert(value == 5 && large[2999] == 0);
    value = 6;
    large[2999] = 1;
    *of_main = 9;
    errno = 3;
    return &value;
}

int main(void) {
    of_main = &value;
    errno = 0;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, &result);
        assert(result != &value && *(int *)result == 6);
    }
    assert(value == 9 && large[2999] == 0 && errno == 0);
    return 0;
}
