/* Two threads with numbers beside a third one that stands in a call which may choose one of them; argv[1] says how,
 * argv[2] which number it is: 0 and 1 are theirs, others are nobody's.  See test_numbers.py. */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long leader = 9;
static pthread_once_t chosen = PTHREAD_ONCE_INIT;
static long number;
static int found;

static void *work(void *given)
{
    long own = (long)given;
    if (atomic_load(&leader) == own)
        found = 1;
    return NULL;
}

/* The variable that it comes from has another value by then. */
static void *stores(void *given)
{
    long next = (long)given;
    atomic_store(&leader, next--);
    return NULL;
}

static void *exchanges(void *given)
{
    atomic_exchange(&leader, (long)given);
    return NULL;
}

static void *adds(void *given)
{
    atomic_fetch_add(&leader, (long)given);
    return NULL;
}

static void *sets(void *given)
{
    atomic_store(&leader, (long)given);
    return NULL;
}

static void *starts(void *given)
{
    pthread_t one;
    pthread_create(&one, NULL, sets, given);
    return NULL;
}

static void *(*function)(void *) = sets;

static void *starts_by_pointer(void *given)
{
    pthread_t one;
    pthread_create(&one, NULL, function, given);
    return NULL;
}

static void choose(void)
{
    atomic_store(&leader, number);
}

static void *chooses_once(void *given)
{
    number = (long)given;
    pthread_once(&chosen, choose);
    return NULL;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void *(*run)(void *);
    } scenes[] = {
        {"stores", stores}, {"exchanges", exchanges}, {"adds", adds},   {"starts", starts},
        {"starts by pointer", starts_by_pointer},     {"once", chooses_once},
    };
    pthread_t threads[3];
    long given = count > 2 ? atol(words[2]) : 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (count > 1 && strcmp(scenes[i].name, words[1]) == 0)
            pthread_create(&threads[2], NULL, scenes[i].run, (void *)given);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return found;
}
