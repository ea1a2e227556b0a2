/* expect: violated assertion; why: main compares what threads with numbers stored last with what is in a variable of its
 * own, which it has reached when it has yet to wait for them */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct choice {
    long number;
    long reason;
};

static _Thread_local struct choice own;
static struct choice *choice;
static atomic_long last;

static void *work(void *given)
{
    atomic_store(&last, (long)given);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    choice = &own;
    choice->number = 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    long chosen = __atomic_load_n(&choice->number, __ATOMIC_SEQ_CST);
    isospin_assert(chosen != atomic_load(&last));
    return 0;
}
