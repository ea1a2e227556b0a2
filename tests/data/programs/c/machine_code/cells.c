/* Threads that know their memory by pointers: each scene leads to a state in which main waits for all of them.  The first argument
   names the scene. */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    atomic_int value;
    int plain;
    struct cell *link;
    pthread_mutex_t lock;
};

struct seat {
    struct cell *mine, *next;
    long tag;
    pthread_t who;
};

static int run(struct seat *first, struct seat *second, struct seat *third, void *(*function)(void *))
{
    pthread_t threads[3];
    int count = third ? 3 : 2;
    pthread_create(&threads[0], NULL, function, first);
    pthread_create(&threads[1], NULL, function, second);
    if (third)
        pthread_create(&threads[2], NULL, function, third);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *touches(void *given)
{
    struct seat *seat = given;
    atomic_store(&seat->mine->value, 1);
    return (void *)(long)atomic_load(&seat->next->value);
}

static void *locks(void *given)
{
    struct seat *seat = given;
    pthread_mutex_lock(&seat->mine->lock);
    seat->mine->plain++;
    pthread_mutex_unlock(&seat->mine->lock);
    return NULL;
}

/* ---- what is alike */

static struct cell rings[3];
static int ring(void)
{
    struct seat seats[3] = {{&rings[0], &rings[1], 0, 0}, {&rings[1], &rings[2], 0, 0}, {&rings[2], &rings[0], 0, 0}};
    return run(&seats[0], &seats[1], &seats[2], touches);
}

static struct cell pairs[3];
static struct seat pair_seats[2];
static int two(void)
{
    pair_seats[0].mine = &pairs[0];
    pair_seats[1].mine = &pairs[1];
    pair_seats[0].next = pair_seats[1].next = &pairs[2];
    return run(&pair_seats[0], &pair_seats[1], NULL, touches);
}

static struct cell alone_0, alone_1;
static struct seat seat_0, seat_1;
static int variables(void)
{
    seat_0.mine = seat_1.next = &alone_0;
    seat_1.mine = seat_0.next = &alone_1;
    return run(&seat_0, &seat_1, NULL, touches);
}

static int locals(void)
{
    struct cell cells[2];
    struct seat seats[2];
    memset(cells, 0, sizeof cells);
    memset(seats, 0, sizeof seats);
    for (int i = 0; i < 2; i++) {
        seats[i].mine = &cells[i];
        seats[i].next = &cells[1 - i];
    }
    return run(&seats[0], &seats[1], NULL, touches);
}

static struct seat *made(struct cell *mine, struct cell *next)
{
    struct seat *seat = calloc(1, sizeof *seat);
    seat->mine = mine;
    seat->next = next;
    return seat;
}

static int blocks(void)
{
    struct cell *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    return run(made(a, b), made(b, a), NULL, touches);
}

static void *frees(void *given)
{
    struct seat *seat = given;
    struct cell *mine = seat->mine;
    free(seat);
    atomic_store(&mine->value, 1);
    return NULL;
}

static struct cell freed_cells[2];
static int freeing(void)
{
    return run(made(&freed_cells[0], NULL), made(&freed_cells[1], NULL), NULL, frees);
}

static struct cell embedded_cells[2];
static int embedded(void)
{
    return run(made(&embedded_cells[0], NULL), made(&embedded_cells[1], NULL), NULL, locks);
}

static void *sums(void *given)
{
    int *number = given, sum = 0;
    for (int i = 0; i < 4; i++)
        sum += *number++;
    return (void *)(long)sum;
}

static int numbers_0[4], numbers_1[4];
static int whole(void) /* they walk through arrays of their own */
{
    return run((void *)numbers_0, (void *)numbers_1, NULL, sums);
}

static struct cell known[2];
static struct seat knowing[2];
static int themselves(void) /* each seat knows who sits there */
{
    for (int i = 0; i < 2; i++)
        knowing[i].mine = knowing[i].next = &known[i];
    pthread_create(&knowing[0].who, NULL, touches, &knowing[0]);
    pthread_create(&knowing[1].who, NULL, touches, &knowing[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(knowing[i].who, NULL);
    return 0;
}

/* ---- what is not */

static struct cell valued[2];
static int value(void)
{
    struct seat a = {&valued[0], &valued[0], 0, 0}, b = {&valued[1], &valued[1], 0, 0};
    valued[1].plain = 1;
    return run(&a, &b, NULL, touches);
}

static struct cell tagged[2];
static int tag(void)
{
    struct seat a = {&tagged[0], &tagged[0], 1, 0}, b = {&tagged[1], &tagged[1], 2, 0};
    return run(&a, &b, NULL, touches);
}

static void *walks(void *given)
{
    struct seat *seat = given;
    atomic_store(&(seat->mine + 1)->value, 1);
    return NULL;
}

static struct cell walked[4];
static int walk(void)
{
    struct seat a = {&walked[0], NULL, 0, 0}, b = {&walked[2], NULL, 0, 0};
    return run(&a, &b, NULL, walks);
}

static void *indexes(void *given)
{
    struct seat *seat = given;
    long i = seat->tag + 1;
    atomic_store(&seat->mine[i].value, 1);
    return NULL;
}

static struct cell indexed[4];
static int element(void)
{
    struct seat a = {&indexed[0], NULL, 0, 0}, b = {&indexed[2], NULL, 0, 0};
    return run(&a, &b, NULL, indexes);
}

static void *strides(void *given)
{
    struct seat *seat = given;
    struct cell *cell = seat->mine;
    cell++;
    atomic_store(&cell->value, 1);
    return NULL;
}

static struct cell strode[4];
static int stride(void)
{
    struct seat a = {&strode[0], NULL, 0, 0}, b = {&strode[2], NULL, 0, 0};
    return run(&a, &b, NULL, strides);
}

static void *measures(void *given)
{
    struct seat *seat = given;
    return (void *)(seat->next - seat->mine);
}

static struct cell measured[4];
static int distance(void)
{
    struct seat a = {&measured[0], &measured[1], 0, 0}, b = {&measured[2], &measured[3], 0, 0};
    return run(&a, &b, NULL, measures);
}

static void *clears(void *given)
{
    struct seat *seat = given;
    memset(seat->mine, 0, (size_t)seat->tag);
    return NULL;
}

static struct cell cleared[4];
static int library(void)
{
    struct seat a = {&cleared[0], NULL, 2 * sizeof(struct cell), 0}, b = {&cleared[2], NULL, 2 * sizeof(struct cell), 0};
    return run(&a, &b, NULL, clears);
}

static struct cell named[2];
static void *names(void *given)
{
    struct seat *seat = given;
    atomic_store(&named[0].value, 1);
    return (void *)(long)atomic_load(&seat->mine->value);
}

static int naming(void)
{
    struct seat a = {&named[0], NULL, 0, 0}, b = {&named[1], NULL, 0, 0};
    return run(&a, &b, NULL, names);
}

static struct cell asked[2];
static int later(void) /* main looks at one of them in the end */
{
    struct seat a = {&asked[0], &asked[0], 0, 0}, b = {&asked[1], &asked[1], 0, 0};
    run(&a, &b, NULL, touches);
    isospin_assert(atomic_load(&asked[0].value) == 1);
    return 0;
}

static int later_local(void)
{
    struct cell cells[2];
    memset(cells, 0, sizeof cells);
    struct seat a = {&cells[0], &cells[0], 0, 0}, b = {&cells[1], &cells[1], 0, 0};
    run(&a, &b, NULL, touches);
    isospin_assert(atomic_load(&cells[0].value) == 1);
    return 0;
}

static int later_block(void)
{
    struct cell *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
    run(made(one, one), made(other, other), NULL, touches);
    isospin_assert(atomic_load(&one->value) == 1);
    return 0;
}

static struct cell kept[2];
static struct cell *_Atomic keeper;
static void *looks(void *given)
{
    struct seat *seat = given;
    return (void *)(long)(atomic_load(&keeper) == seat->mine);
}

static int keeping(void) /* a variable points to one of them */
{
    struct seat a = {&kept[0], NULL, 0, 0}, b = {&kept[1], NULL, 0, 0};
    atomic_store(&keeper, &kept[0]);
    return run(&a, &b, NULL, looks);
}

static struct cell watched[2];
static void *watches(void *cell)
{
    atomic_store(&((struct cell *)cell)->value, 2);
    return NULL;
}

static int third(void) /* another thread knows one of them */
{
    struct seat a = {&watched[0], &watched[0], 0, 0}, b = {&watched[1], &watched[1], 0, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, watches, &watched[0]);
    pthread_detach(thread);
    return run(&a, &b, NULL, touches);
}

struct __attribute__((packed)) odd {
    char first;
    struct cell *link;
    char rest[7];
};
static struct odd odds[2];
static struct cell odd_cells[2];
static void *unpacks(void *given)
{
    struct seat *seat = given;
    struct odd *odd = (struct odd *)seat->next;
    return (void *)(long)(odd->link == seat->mine);
}

static int packed(void) /* both know the first cell, in words that are not aligned */
{
    struct seat a = {&odd_cells[0], (struct cell *)&odds[0], 0, 0}, b = {&odd_cells[1], (struct cell *)&odds[1], 0, 0};
    odds[0].link = odds[1].link = &odd_cells[0];
    return run(&a, &b, NULL, unpacks);
}

static int sizes(void)
{
    struct cell *small = calloc(1, sizeof *small), *large = calloc(2, sizeof *large);
    return run(made(small, small), made(large, large), NULL, touches);
}

static struct cell chained[3];
static int chain(void) /* the image of the second cell has no place to go to */
{
    struct seat a = {&chained[0], &chained[1], 0, 0}, b = {&chained[1], &chained[2], 0, 0};
    return run(&a, &b, NULL, touches);
}

static struct cell held[2];
static int owner(void) /* main has one of the locks */
{
    struct seat a = {&held[0], NULL, 0, 0}, b = {&held[1], NULL, 0, 0};
    pthread_mutex_lock(&held[0].lock);
    return run(&a, &b, NULL, locks);
}

static struct cell written[2];
static atomic_int ready;
static void *writes(void *cell)
{
    ((struct cell *)cell)->plain = 0;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

static void *reads(void *given)
{
    struct seat *seat = given;
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        return (void *)(long)seat->mine->plain;
    return NULL;
}

static int history(void) /* another thread wrote one of them, and nobody knows */
{
    pthread_t thread;
    struct seat a = {&written[0], NULL, 0, 0}, b = {&written[1], NULL, 0, 0};
    pthread_create(&thread, NULL, writes, &written[0]);
    pthread_detach(thread);
    return run(&a, &b, NULL, reads);
}

static struct cell early[3];
static void *last(void *given) /* only who comes last changes its cell */
{
    struct seat *seat = given;
    if (atomic_fetch_add(&seat->next->value, 1) == 1)
        seat->mine->plain = 1;
    return NULL;
}

static int ahead(void) /* main has read a cell before its threads ended */
{
    pthread_t one, other;
    pthread_create(&one, NULL, last, made(&early[0], &early[2]));
    pthread_create(&other, NULL, last, made(&early[1], &early[2]));
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    int seen = early[0].plain;
    isospin_assert(seen == 0);
    return 0;
}

static struct cell linked[6];
static void *compares(void *given)
{
    struct seat *seat = given;
    return (void *)(long)(seat->mine->link == seat->next->link);
}

static int links(void) /* what the first cells have in common is not the same for the second ones */
{
    linked[0].link = linked[1].link = linked[2].link = &linked[4];
    linked[3].link = &linked[5];
    return run(made(&linked[0], &linked[2]), made(&linked[1], &linked[3]), NULL, compares);
}

static pthread_mutex_t gate;
struct role {
    struct cell *_Atomic *slot;
    long gives, secret;
};
static struct cell *_Atomic slots[2];
static struct role roles[4];
static atomic_long told;

static void *takes(struct cell *_Atomic *slot)
{
    struct cell *cell = atomic_exchange(slot, NULL);
    pthread_mutex_lock(&gate);
    atomic_store(&cell->value, 1);
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void *gives(struct role *role)
{
    long secret = role->secret;
    struct cell *given = calloc(1, sizeof *given);
    atomic_store(role->slot, given);
    pthread_mutex_lock(&gate);
    atomic_store(&told, secret + atomic_load(&given->value));
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void *plays(void *given)
{
    struct role *role = given;
    return role->gives ? gives(role) : takes(role->slot);
}

static int half(void) /* the first and the third have what the second and the fourth gave them, who are not alike */
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        roles[i].slot = &slots[i / 2];
        roles[i].gives = i % 2;
        roles[i].secret = i == 3;
    }
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, plays, &roles[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int stale(void) /* one of them was freed */
{
    struct cell *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
    free(one);
    return run(made(one, one), made(other, other), NULL, touches);
}

static struct cell loose_cells[2];
static void *holds(void *given)
{
    struct seat *seat = given;
    struct odd *odd = calloc(1, sizeof *odd);
    odd->link = seat->next;
    seat->next = NULL;
    pthread_mutex_lock(&gate);
    int same = odd->link == seat->mine;
    pthread_mutex_unlock(&gate);
    return (void *)(long)same;
}

static int loose(void) /* both have a pointer to the first cell in a block of their own, and it is not aligned */
{
    return run(made(&loose_cells[0], &loose_cells[0]), made(&loose_cells[1], &loose_cells[0]), NULL, holds);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
#define SCENE(scene) \
    if (strcmp(name, #scene) == 0) \
        return scene();
    SCENE(ring) SCENE(two) SCENE(variables) SCENE(locals) SCENE(blocks) SCENE(freeing) SCENE(embedded) SCENE(whole)
    SCENE(themselves) SCENE(value) SCENE(tag) SCENE(walk) SCENE(element) SCENE(stride) SCENE(distance) SCENE(library)
    SCENE(naming) SCENE(later) SCENE(later_local) SCENE(later_block) SCENE(keeping) SCENE(third) SCENE(packed) SCENE(sizes)
    SCENE(chain) SCENE(owner) SCENE(history) SCENE(ahead) SCENE(links) SCENE(stale) SCENE(loose) SCENE(half)
    return 2;
}
