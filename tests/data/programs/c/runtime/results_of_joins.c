/* expect: holds; executions: 1 */
/* A run of joins is one operation, but what the threads wrote to main's stack is read after it. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job { int *result; int number; };

static void *work(void *argument) {
    struct job *job = argument;
    *job->result = job->number * 2;
    return NULL;
}

int main(void) {
    pthread_t *threads = malloc(3 * sizeof *threads);
    struct job jobs[3];
    int results[3] = {0}, sum = 0;
    for (int i = 0; i < 3; i++) {
        jobs[i] = (struct job){&results[i], i};
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
        sum += results[i];
    free(threads);
    assert(sum == 6);
    return 0;
}
