/* expect: violated race */
/* strtok remembers where it is, for all threads together. */
#include <pthread.h>
#include <string.h>

static void *split(void *unused) {
    char text[] = "one two";
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
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
