/* Ways in which threads never come to an end, though each of their steps does: endless NAME. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int number, cell[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds;
static const char *way;

static void add(void)
{
    for (;;)
        atomic_fetch_add(&number, 1);
}

static int add_for_ever(const void *one, const void *other)
{
    add();
    return one < other;
}

static void store(void)
{
    for (int i = 0;; i++)
        atomic_store(&number, i);
}

static void lock(void)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

/* No round of it is a wait, since it counts. */
static void look(void)
{
    for (int i = 0; i < 3; i = atomic_load(&cell[i]) ? i + 1 : 0)
        rounds++;
}

static void *work(void *given)
{
    int several[] = {2, 1};
    if (strcmp(way, "adds") == 0)
        add();
    else if (strcmp(way, "adds in a callback") == 0)
        qsort(several, 2, sizeof *several, add_for_ever);
    else if (strcmp(way, "stores") == 0)
        store();
    else if (strcmp(way, "locks") == 0)
        lock();
    else if (given)
        look();
    return given;
}

int main(int count, char **words)
{
    pthread_t thread[2];
    way = count > 1 ? words[1] : "";
    pthread_create(&thread[0], NULL, work, NULL);
    pthread_create(&thread[1], NULL, work, &number);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}
