/* expect: holds; executions: 1; why: two workers and one job; whoever takes it, they are alike again afterwards */
/* tests/hosts/c/test_orbits.py says how many executions are enough for other numbers of workers and jobs. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, totals = PTHREAD_MUTEX_INITIALIZER;
static int left, total, counts, most;
static int take(void)
{
    pthread_mutex_lock(&queue);
    int found = left > 0;
    left -= found;
    pthread_mutex_unlock(&queue);
    return found;
}
static void *work(void *unused)
{
    int mine = 0;
    while (take()) {
        pthread_mutex_lock(&totals);
        total++;
        pthread_mutex_unlock(&totals);
        mine += counts;
    }
    if (counts) {
        pthread_mutex_lock(&totals);
        if (mine > most)
            most = mine;
        pthread_mutex_unlock(&totals);
    }
    return unused;
}
int main(int count, char **words)
{
    pthread_t threads[3];
    int workers = count > 1 ? atoi(words[1]) : 2;
    left = count > 2 ? atoi(words[2]) : 1;
    counts = count > 3; /* then they remember how many jobs they had */
    for (int i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    return total == 0;
}
