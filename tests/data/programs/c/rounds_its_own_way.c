/* expect: violated assertion; options: --cflags=-lm; why: one of the two has been told to round upwards, and computes first */
#include <fenv.h>
#include <isospin.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static volatile double one = 1, three = 3;
static double third[2];
static int came, turn;

static void *work(void *unused)
{
    pthread_mutex_lock(&first);
    if (came++)
        fesetround(FE_UPWARD);
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    third[turn++] = one / three;
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(third[0] <= third[1]);
}
