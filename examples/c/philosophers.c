/* expect: violated deadlock */
/* Dining philosophers, all left first; -DFIXED: the last one takes the right fork first.
 *
 *     isospin check examples/c/philosophers.c -- 4
 *     isospin check examples/c/philosophers.c --cflags -DFIXED -- 4
 */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t forks[MOST];
static int count = 3;

static void *dine(void *seat) {
    long left = (long)seat, right = (left + 1) % count;
#ifdef FIXED
    long first = left < right ? left : right, second = left < right ? right : left;
#else
    long first = left, second = right;
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(int words, char **word) {
    pthread_t philosophers[MOST];
    if (words > 1)
        count = atoi(word[1]);
    if (count < 2 || count > MOST)
        return 2;
    for (int i = 0; i < count; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < count; i++)
        pthread_create(&philosophers[i], NULL, dine, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(philosophers[i], NULL);
    return 0;
}
