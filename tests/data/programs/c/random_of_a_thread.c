/* expect: violated assertion; why: each thread has random numbers of its own, and one of the two has drawn one already */
#include <isospin.h>
#include <pthread.h>
#include <sys/random.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static unsigned drawn[2];
static int came, turn;

static unsigned draw(void)
{
    unsigned number = 0;
    getrandom(&number, sizeof number, 0);
    return number;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&first);
    if (!came)
        draw();
    came = 1;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    drawn[turn++] = draw();
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    unsigned number = draw(); /* everybody begins with the same one */
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(drawn[1] == number); /* not if the one that came second draws first */
}
