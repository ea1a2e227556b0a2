/* expect: holds; executions: 24; why: a producer beside two workers and one name; brute force counts 24 orbits */
/* The shape of pfscan: main starts workers, gives them names of files, and closes the queue.  Workers read, and write
 * only under locks.  With a c behind their number, they remember how many names they had; with an m, they allocate.  tests/hosts/c/test_orbits.py
 * counts the orbits. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static struct {
    const char *ring[4];
    int first, count, closed;
    pthread_mutex_t lock;
    pthread_cond_t more;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t totals = PTHREAD_MUTEX_INITIALIZER;
static int matches, counts, allocates, most;
static const char *take(void)
{
    const char *name = NULL;
    pthread_mutex_lock(&queue.lock);
    while (!queue.count && !queue.closed)
        pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.count) {
        name = queue.ring[queue.first];
        queue.first = (queue.first + 1) % 4;
        queue.count--;
    }
    pthread_mutex_unlock(&queue.lock);
    return name;
}
static void give(const char *name)
{
    pthread_mutex_lock(&queue.lock);
    queue.ring[(queue.first + queue.count++) % 4] = name;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}
static void finish(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}
static void *work(void *unused)
{
    const char *name;
    int mine = 0;
    while ((name = take())) {
        int found = 0;
        char *copy = allocates ? strdup(name) : NULL;
        for (const char *c = copy ? copy : name; *c; c++)
            found += *c == 'e';
        pthread_mutex_lock(&totals);
        matches += found;
        pthread_mutex_unlock(&totals);
        free(copy);
        mine += counts;
    }
    if (counts) {
        pthread_mutex_lock(&totals);
        most = mine > most ? mine : most;
        pthread_mutex_unlock(&totals);
    }
    return unused;
}
int main(int count, char **words)
{
    pthread_t workers[8];
    int threads = count > 1 ? atoi(words[1]) : 2;
    counts = count > 1 && words[1][1] == 'c';
    allocates = count > 1 && words[1][1] == 'm';
    for (int i = 0; i < threads; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 2; i < count || i == 2; i++)
        give(i < count ? words[i] : "needle");
    finish();
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i], NULL);
    return matches > 100;
}
