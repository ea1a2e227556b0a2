/* expect: violated race */
/* A round that fails reads `data`; who writes it then has seen that the thread went on, since its lock is taken, and is
 * not ordered behind it.  The round itself is left out of executions. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data;
static void *V(void *u) { atomic_store(&x, 1); atomic_store(&x, 0); return u; }
static void *W(void *u)
{
    data = 1;
    atomic_store(&g, 1);
    if (pthread_mutex_trylock(&m))
        data = 2;
    else
        pthread_mutex_unlock(&m);
    return u;
}
static void *T(void *u)
{
    int a, b, d = 0;
    while (!atomic_load(&g))
        ;
    do {
        a = atomic_load(&x);
        if (a == 1)
            d = data;
        b = atomic_load(&y);
    } while (a == 1);
    (void)b, (void)d;
    pthread_mutex_lock(&m);
    return u;
}
int main(void)
{
    pthread_t t[3];
    void *(*all[])(void *) = {V, W, T};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, all[i], 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
