/* expect: holds; options: --cflags=-lm */
#include <fenv.h>
#include <isospin.h>
#include <pthread.h>

static volatile double one = 1, three = 3;
static double third;

static void *work(void *unused)
{
    third = one / three;
    return unused;
}

int main(void)
{
    pthread_t thread;
    fesetround(FE_UPWARD);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    isospin_assert(third == one / three);
}
