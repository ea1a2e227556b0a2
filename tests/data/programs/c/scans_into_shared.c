/* expect: violated race */
/* What sscanf finds is written to memory of both. */
#include <pthread.h>
#include <stdio.h>

static int value;
static char name[8];

static void *scan(void *unused) {
    char own[8];
    sscanf("x = 5", "%7s = %d", unused ? name : own, &value);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, scan, NULL);
    pthread_create(&threads[1], NULL, scan, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
