/* expect: violated assertion; line: 40; options: --search dpor; why: "look" comes between "tell" and "set", also if "tell" would wait in vain there */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int woken, flag, told;

/* One loop for all: it is known when the others come, but not that they would wait in vain. */
static void __attribute__((noinline)) wait_for(atomic_int *place, int value)
{
    while (atomic_load(place) != value)
        ;
}

static void *help(void *unused)
{
    wait_for(&woken, 5);
    return unused;
}

static void *set(void *unused)
{
    atomic_store(&flag, 1);
    return unused;
}

/* Wanted before "set" by its own loop, whose round fails there; and since "look" needs it. */
static void *tell(void *unused)
{
    atomic_store(&told, 1);
    wait_for(&flag, 1);
    return unused;
}

static void *look(void *unused)
{
    if (atomic_load(&told)) {
        int seen = atomic_load(&flag);
        assert(seen);
    }
    return unused;
}

int main(void)
{
    pthread_t helper, thread[3];
    pthread_create(&helper, NULL, help, NULL);
    atomic_store(&woken, 5);
    pthread_join(helper, NULL);
    void *(*const works[])(void *) = { set, tell, look };
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, works[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
