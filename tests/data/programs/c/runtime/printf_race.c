/* expect: violated race */
/* A text that is printed is read. */
#include <pthread.h>
#include <stdio.h>

static char text[16] = "abc";

static void *work(void *unused) {
    printf("%5d %.*s %s\n", 3, 2, "xyz", text);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    text[1] = 'z';
    pthread_join(thread, NULL);
    return 0;
}
