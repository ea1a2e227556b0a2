/* What threads see of variables that are added to: counts SCRIPT ..., one argument for each thread, letters in pairs.
 *
 *     A add  O or  X exclusive or: a bit of its own      S store a number of its own      L load      E exchange
 *     x y z      M m, U m: take and give back the mutex
 *
 * All that was loaded is the outcome: so each way to read has one of its own.
 */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { THREADS = 4, STEPS = 8 };

static atomic_uint memory[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char script[2 * STEPS + 1];
    unsigned seen[STEPS];
} thread[THREADS];

static void step(int number, int nth)
{
    const char *what = &thread[number].script[2 * nth];
    atomic_uint *where = &memory[(what[1] - 'x') % 3u];
    unsigned own = 1u << (number * STEPS + nth);
    switch (what[0]) {
    case 'A': atomic_fetch_add(where, own); break;
    case 'O': atomic_fetch_or(where, own); break;
    case 'X': atomic_fetch_xor(where, own); break;
    case 'S': atomic_store(where, own); break;
    case 'L': thread[number].seen[nth] = atomic_load(where); break;
    case 'E': thread[number].seen[nth] = atomic_exchange(where, own); break;
    case 'M': pthread_mutex_lock(&mutex); break;
    case 'U': pthread_mutex_unlock(&mutex); break;
    }
}

static void *work(void *own)
{
    int number = (int)(size_t)own, length = (int)strlen(thread[number].script) / 2;
    for (int nth = 0; nth < length; nth++)
        step(number, nth);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < count - 1; i++)
        strcpy(thread[i].script, words[i + 1]);
    for (int i = 0; i < count - 1; i++)
        pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
    for (int i = 0; i < count - 1; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count - 1; i++)
        for (int nth = 0; nth < (int)strlen(thread[i].script) / 2; nth++)
            if (strchr("LE", thread[i].script[2 * nth]))
                isospin_outcome("%d.%d=%u", i, nth, thread[i].seen[nth]);
}
