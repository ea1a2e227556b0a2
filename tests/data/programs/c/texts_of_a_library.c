/* expect: violated assertion; why: who came first has another text, in memory that libc asked for and gave to the program */
#define _GNU_SOURCE
#include <isospin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    char *text;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *work(void *given)
{
    struct job *job = given;
    char *text = NULL;
    pthread_mutex_lock(&lock);
    int mine = turn++;
    pthread_mutex_unlock(&lock);
    sscanf(mine ? "1" : "0", "%ms", &text);
    job->text = text;
    return NULL;
}

static void check(struct job **jobs)
{
    isospin_assert(*jobs[0]->text < *jobs[1]->text);
}

int main(void)
{
    pthread_t threads[2];
    struct job *jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i] = malloc(sizeof *jobs[i]);
        jobs[i]->text = "";
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    check(jobs);
}
