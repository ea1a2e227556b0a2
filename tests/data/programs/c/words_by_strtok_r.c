/* expect: holds */
/* The same with a memory for each thread. */
#include <pthread.h>
#include <string.h>

static void *split(void *unused) {
    char text[] = "one two", *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        ;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, split, NULL);
    pthread_create(&threads[1], NULL, split, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
