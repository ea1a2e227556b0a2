/* expect: holds; why: the compiler does not tell these writes, and main must not look before it has joined */
#include <assert.h>
#include <pthread.h>

struct three { long a, b, c; };
static struct three made;
static int counted;

static struct three make(long n) { return (struct three){n, n, n}; }

static void *stores(void *unused)
{
    made = make(1);
    return unused;
}

static void *counts(void *unused)
{
    __asm__ volatile("lock; incl %0" : "+m"(counted));
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, stores, NULL);
    pthread_create(&threads[1], NULL, counts, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(made.c == 1);
    assert(counted == 1);
}
