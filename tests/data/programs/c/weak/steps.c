/* Atomic accesses as the arguments say, one argument for each thread: letters in fives, what to do, where, in which order, and
 * two numbers a and b.
 *
 *     S store a  L load  A add one  F fence  C compare with a and set b  W wait until it is a  K wait until it is a and set b
 *     M take and U give back the mutex      x y      0 relaxed 2 acquire 3 release 4 acq_rel 5 seq_cst
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static atomic_int memory[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static memory_order failing(memory_order order)
{
    return order == memory_order_release ? memory_order_relaxed : order == memory_order_acq_rel ? memory_order_acquire : order;
}

static int exchange(atomic_int *where, int *expected, int wanted, memory_order order)
{
    return atomic_compare_exchange_strong_explicit(where, expected, wanted, order, failing(order));
}

static void step(const char *what)
{
    atomic_int *where = &memory[what[1] == 'y'];
    memory_order order = (memory_order)(what[2] - '0');
    int a = what[3] - '0', b = what[4] - '0', found = a;
    switch (what[0]) {
    case 'S': atomic_store_explicit(where, a, order); break;
    case 'L': (void)atomic_load_explicit(where, order); break;
    case 'A': atomic_fetch_add_explicit(where, 1, order); break;
    case 'F': atomic_thread_fence(order); break;
    case 'C': exchange(where, &found, b, order); break;
    case 'W': while (atomic_load_explicit(where, order) != a) ; break;
    case 'K': while (!exchange(where, &found, b, order)) found = a; break;
    case 'M': pthread_mutex_lock(&mutex); break;
    case 'U': pthread_mutex_unlock(&mutex); break;
    }
}

static void *work(void *script)
{
    char own[64]; /* what others cannot change */
    strcpy(own, script);
    for (const char *at = own; *at; at += 5)
        step(at);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread[4];
    for (int i = 1; i < count; i++) /* who does the same has the same argument */
        for (int j = 1; j < i; j++)
            if (strcmp(words[i], words[j]) == 0)
                words[i] = words[j];
    for (int i = 1; i < count && i <= 4; i++)
        pthread_create(&thread[i - 1], NULL, work, words[i]);
    for (int i = 1; i < count && i <= 4; i++)
        pthread_join(thread[i - 1], NULL);
}
