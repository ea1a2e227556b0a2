/* expect: violated assertion; why: threads in a ring whose cells are main's: it looks at one of them in the end, and
 * has come to that look before the threads have ended */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct cell {
    atomic_long value;
};
struct seat {
    struct cell *mine, *next;
};
static struct seat seats[3];

static void *run(void *given)
{
    struct seat *seat = given;
    atomic_store(&seat->mine->value, 2);
    atomic_fetch_add(&seat->next->value, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    struct cell cells[3];
    memset(cells, 0, sizeof cells);
    seats[0] = (struct seat){&cells[0], &cells[1]};
    seats[1] = (struct seat){&cells[1], &cells[2]};
    seats[2] = (struct seat){&cells[2], &cells[0]};
    pthread_create(&threads[0], NULL, run, &seats[0]);
    pthread_create(&threads[1], NULL, run, &seats[1]);
    pthread_create(&threads[2], NULL, run, &seats[2]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(atomic_load(&cells[0].value) != 2);
    return 0;
}
