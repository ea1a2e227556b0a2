/* expect: violated use-after-free */
/* A stream is closed while another thread may still read from it. */
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *work(void *unused) {
    fgetc(file);
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    file = fopen(words[2], "r");
    pthread_create(&thread, NULL, work, NULL);
    fclose(file);
    pthread_join(thread, NULL);
    return 0;
}
