/* expect: violated assertion; why: who comes first is an assertion of its own */
/* Two workers take one job from a queue, by `while (take(&item) > 0)`.  Who has done it has an old pointer in `item`.
 *
 *     old_values HOW
 *
 * never    nobody looks at it
 * reads    each tells in the end whether it has one
 * late     the same, but only who comes before main says that it is enough
 * library  a function of a library reads it: what it finds decides what it does
 * shown    main looks at it, by a pointer
 * passed   who comes first to the last lock reads it; who was second before has written it anew, if it was the other one
 */
#define _GNU_SOURCE
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NOT(i, j) isospin_assert(told[0] != i || told[1] != j)

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, order = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pairs = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static char job[] = "a,b", *left = job, **shown[2];
static int told[2], none, loud, done;
static const char *how = "never";

/* 1, or whether it is the first or the second that finds none: -1, -2. */
static int take(char **item)
{
    pthread_mutex_lock(&queue);
    int got = left ? 1 : --none;
    if (left)
        *item = left;
    left = NULL;
    pthread_mutex_unlock(&queue);
    return got;
}

static int is_loud(void)
{
    pthread_mutex_lock(&order);
    int now = loud;
    pthread_mutex_unlock(&order);
    return now;
}

static void *work(void *unused)
{
    int got, what = 3;
    char *item = NULL;
    while ((got = take(&item)) > 0)
        done = 1;
    if (!strcmp(how, "reads") || (!strcmp(how, "late") && !is_loud()))
        what = item ? 1 : 2;
    else if (!strcmp(how, "library"))
        what = strsep(&item, ",") ? 1 : 2;
    told[-got - 1] = what;
    return unused;
}

/* It gives a variable away, and waits where others do. */
static void *show(void *unused)
{
    char *item = NULL;
    pthread_mutex_lock(&order);
    shown[shown[0] ? 1 : 0] = &item;
    pthread_mutex_unlock(&order);
    while (take(&item) > 0)
        done = 1;
    pthread_mutex_lock(&order);
    pthread_mutex_unlock(&order);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&queue);
    pthread_mutex_lock(&order);
    for (int i = 0; i < 2; i++)
        told[i] = !shown[i] ? 3 : *shown[i] ? 1 : 2;
    pthread_mutex_unlock(&order);
    pthread_mutex_unlock(&queue);
    return unused;
}

static void put(char **item) { *item = job; }

/* Where both wait for the last time they are alike if the first one has the job: one of them may go on for both. */
static void *pass(void *unused)
{
    static int second, read;
    char *item = NULL;
    take(&item);
    pthread_mutex_lock(&pairs);
    if (second++)
        put(&item);
    pthread_mutex_unlock(&pairs);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&order);
    if (!read++)
        told[0] = item ? 1 : 2;
    told[1] = 3;
    pthread_mutex_unlock(&order);
    return unused;
}

int main(int words, char **word)
{
    pthread_t t[3];
    how = words > 1 ? word[1] : how;
    int is_shown = !strcmp(how, "shown");
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, is_shown ? show : !strcmp(how, "passed") ? pass : work, NULL);
    if (is_shown)
        pthread_create(&t[2], NULL, look, NULL);
    if (!strcmp(how, "late")) {
        pthread_mutex_lock(&order);
        loud = 1;
        pthread_mutex_unlock(&order);
    }
    for (int i = 0; i < 2 + is_shown; i++)
        pthread_join(t[i], NULL);
    NOT(1, 1), NOT(1, 2), NOT(1, 3), NOT(2, 1), NOT(2, 2), NOT(2, 3), NOT(3, 1), NOT(3, 2), NOT(3, 3);
    return 0;
}
