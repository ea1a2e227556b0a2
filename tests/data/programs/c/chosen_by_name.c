/* expect: violated assertion; why: of two threads with numbers one is chosen by a struct whose members have the names
 * of another one */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

struct cause {
    long reason;
};
struct choice {
    long number;
};
struct first {
    struct cause *of;
};
struct second {
    struct choice *of;
};

static struct cause cause = {7};
static struct choice choice;
static struct first first = {&cause}, *one = &first;
static struct second second = {&choice}, *other = &second;
static atomic_long order;

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    if (one->of->reason != 5)
        isospin_assert(!(other->of->number == number && place == 1));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
