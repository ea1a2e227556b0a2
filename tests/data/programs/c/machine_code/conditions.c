/* Threads that are alike but for one thing, and go wrong in one order only: scenes for test_conditions.py. */
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, door = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int came, turn, shared;

static int arrive(void) /* who comes first? */
{
    pthread_mutex_lock(&lock);
    int mine = came++;
    pthread_mutex_unlock(&lock);
    return mine;
}

static int pass(void) /* everything else is forgotten; here they meet, and are alike or not */
{
    pthread_mutex_lock(&door);
    int mine = turn++;
    pthread_mutex_unlock(&door);
    return mine;
}

/* ---------------------------------------------------------------- what they have */

static void *allocates(void *unused)
{
    char *block = calloc(1, arrive() ? 16 : 32);
    if (pass() == 0)
        block[20] = 1; /* there is no such byte in the smaller one */
    free(block);
    return unused;
}

/* ---------------------------------------------------------------- what may still race */

static void *leaves_a_lock(void *unused)
{
    if (!arrive()) {
        pthread_mutex_lock(&other);
        shared++;
        pthread_mutex_unlock(&other);
    }
    if (!pass())
        shared = 5; /* without the lock: a race, if it was the other one */
    return unused;
}

static void *leaves_by_pointer(void *unused)
{
    static int hidden;
    int *way = &hidden; /* no code names it any more */
    if (!arrive())
        *way = 1;
    if (!pass())
        *way = 2;
    return unused;
}

/* ---------------------------------------------------------------- what they leave behind */

struct job {
    char *text;
};
static void *writes_text(void *given)
{
    struct job *job = given;
    int mine = arrive();
    job->text = malloc(2);
    strcpy(job->text, mine ? "b" : "a");
    return NULL;
}

/* ---------------------------------------------------------------- main */

typedef void *routine(void *);

static void two(routine *run, void *one, void *second)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run, one);
    pthread_create(&threads[1], NULL, run, second);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void check_texts(struct job **jobs)
{
    isospin_assert(*jobs[0]->text <= *jobs[1]->text);
    isospin_assert(*jobs[0]->text >= *jobs[1]->text);
}

static void jobs(void)
{
    struct job *made[2];
    for (int i = 0; i < 2; i++) {
        made[i] = malloc(sizeof *made[i]);
        made[i]->text = "";
    }
    two(writes_text, made[0], made[1]);
    check_texts(made);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
#define SCENE(scene, ...) \
    if (strcmp(name, #scene) == 0) \
        return __VA_ARGS__, 0;
    SCENE(sizes, two(allocates, NULL, NULL)) SCENE(locks, two(leaves_a_lock, NULL, NULL))
    SCENE(pointer, two(leaves_by_pointer, NULL, NULL)) SCENE(jobs, jobs())
    return 2;
}
