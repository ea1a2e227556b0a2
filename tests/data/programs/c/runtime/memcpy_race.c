/* expect: violated race */
/* libc is not instrumented: what its functions read and write is told by the runtime. */
#include <pthread.h>
#include <string.h>

static char from[16] = "abc", to[16];

static void *work(void *unused) {
    memcpy(to, from, sizeof to);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int same = to[3] == 'x';
    pthread_join(thread, NULL);
    return same;
}
