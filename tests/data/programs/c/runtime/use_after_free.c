/* expect: violated use-after-free */
/* Nothing orders the two: the free becomes visible, and the wrong order is shown. */
#include <pthread.h>
#include <stdlib.h>

static int *p;

static void *work(void *unused) {
    free(p);
    return unused;
}

int main(void) {
    pthread_t thread;
    p = calloc(10, sizeof *p);
    pthread_create(&thread, NULL, work, NULL);
    p[3] = 1;
    pthread_join(thread, NULL);
    return 0;
}
