/* What main does beside threads that are alike, and with what they leave behind: scenes for test_bystander.py. */
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, locks[3];
static pthread_t handles[3];
static pthread_t *kept;
static int cell[3], sum, turn, owner = -1, ready, seen, *shown;

static void locked(int *what, int by) {
    pthread_mutex_lock(&lock);
    *what += by;
    pthread_mutex_unlock(&lock);
}

static void *count(void *given) {
    cell[(long)given]++;
    locked(&sum, 1);
    return NULL;
}

static void *draw(void *given) {
    pthread_mutex_lock(&lock);
    cell[(long)given] = turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *second(void *given) {
    pthread_mutex_lock(&lock);
    if (!turn)
        turn = 1;
    else
        cell[(long)given] = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *own(void *given) {
    pthread_mutex_lock(&lock);
    if (owner < 0)
        owner = (int)(long)given;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *given) {
    pthread_mutex_lock(&lock);
    if (shown == &cell[(long)given])
        seen++;
    else if (seen == 0 && shown)
        seen = 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *hold(void *given) {
    pthread_mutex_lock(&locks[(long)given]);
    locked(&turn, 1);
    if (turn == 1)
        seen = 1;
    pthread_mutex_unlock(&locks[(long)given]);
    return NULL;
}

static void *is_kept(void *given) {
    pthread_mutex_lock(&lock);
    if (kept + (long)given == &kept[1])
        seen = ++turn;
    else
        turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *is_first(void *given) {
    pthread_mutex_lock(&lock);
    if (given == kept)
        seen = ++turn;
    else
        turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *is_named(void *given) {
    (void)given;
    pthread_mutex_lock(&lock);
    if (kept[1] == pthread_self())
        seen = ++turn;
    else
        turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *tell(void *given) {
    cell[(long)given] = 1;
    locked(&turn, 1);
    return NULL;
}

static pthread_t *start(int threads, void *(*run)(void *), pthread_t *t) {
    for (long i = 0; i < threads; i++) {
        pthread_mutex_init(&locks[i], NULL);
        pthread_create(&t[i], NULL, run, (void *)i);
    }
    return t;
}

static void join(int threads, pthread_t *t) {
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
}

/* ---------------------------------------------------------------- main stands by */

static void sums(void) {
    pthread_t t[3];
    int all = 0;
    start(3, count, t);
    join(3, t);
    for (int i = 0; i < 3; i++)
        all += (i + 1) * cell[i];
    isospin_assert(all == 6);
}

static void beside(void) {
    start(3, count, handles);
    locked(&sum, 1);
    join(3, handles);
    for (int i = 0; i < 3; i++)
        isospin_assert(cell[i] == 1 && sum == 4);
}

static void in_the_heap(void) {
    pthread_t *t = malloc(3 * sizeof *t);
    start(3, count, t);
    join(3, t);
    free(t);
    for (int i = 0; i < 3; i++)
        pthread_mutex_destroy(&locks[i]);
}

static void in_the_heap_beside(void) {
    pthread_t *t = kept = malloc(3 * sizeof *t);
    start(3, count, t);
    locked(&sum, 1);
    join(3, t);
    free(t);
}

/* ---------------------------------------------------------------- main sees in which order the others went */

/* Names in the heap that threads know: by where they are, or by what they are. */
static void beside_kept(void *(*run)(void *)) {
    kept = malloc(2 * sizeof *kept);
    start(2, run, kept);
    locked(&sum, 1);
    join(2, kept);
    isospin_assert(seen != 1);
}

static void where_kept(void) { beside_kept(is_kept); }

static void what_kept(void) { beside_kept(is_named); }

static void points_to_kept(void) {
    kept = malloc(2 * sizeof *kept);
    for (int i = 0; i < 2; i++)
        pthread_create(&kept[i], NULL, is_first, &kept[i]);
    locked(&sum, 1);
    join(2, kept);
    isospin_assert(seen != 2);
}

static void looks_at_kept(void) {
    kept = malloc(2 * sizeof *kept);
    start(2, own, kept);
    pthread_t first = kept[0];
    pthread_mutex_lock(&lock);
    int x = owner == (first == kept[1]);
    pthread_mutex_unlock(&lock);
    join(2, kept);
    isospin_assert(!x);
}

static void order(void) {
    start(2, draw, handles);
    join(2, handles);
    isospin_assert(cell[0] < cell[1]);
}

static void late(void) {
    start(2, second, handles);
    join(2, handles);
    isospin_assert(cell[0] <= cell[1]);
}

static void early(void) {
    start(2, second, handles);
    join(2, handles);
    isospin_assert(cell[1] <= cell[0]);
}

static void first(void) {
    start(2, own, handles);
    join(2, handles);
    isospin_assert(owner != 1);
}

static void looks(void) {
    start(2, own, handles);
    pthread_mutex_lock(&lock);
    int x = owner;
    pthread_mutex_unlock(&lock);
    join(2, handles);
    isospin_assert(x != 1);
}

static void peeks(void) {
    start(2, second, handles);
    pthread_mutex_lock(&lock);
    int x = cell[0];
    pthread_mutex_unlock(&lock);
    join(2, handles);
    isospin_assert(!x);
}

static void shows(void) {
    start(2, look, handles);
    pthread_mutex_lock(&lock);
    shown = &cell[0];
    pthread_mutex_unlock(&lock);
    join(2, handles);
    isospin_assert(seen != 2);
}

static void holds(void) {
    start(2, hold, handles);
    pthread_mutex_lock(&locks[1]);
    pthread_mutex_lock(&lock);
    int x = turn;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&locks[1]);
    join(2, handles);
    isospin_assert(x != 2);
}

static void one_by_one(void) {
    start(2, draw, handles);
    pthread_join(handles[1], NULL);
    pthread_mutex_lock(&lock);
    int x = turn;
    pthread_mutex_unlock(&lock);
    pthread_join(handles[0], NULL);
    isospin_assert(x == 2 || cell[1] == 0);
    isospin_assert(x == 1 || cell[1] == 1);
}

/* Only one of two orders has a race: main knows what the one did who was first. */
static void knows(void) {
    start(2, tell, handles);
    pthread_mutex_lock(&lock);
    int x = turn;
    pthread_mutex_unlock(&lock);
    if (x == 1)
        ready = cell[0];
    join(2, handles);
}

#define SCENE(name) \
    if (!strcmp(word, #name)) \
    name()

int main(int count, char **words) {
    const char *word = count > 1 ? words[1] : "";
    SCENE(sums);
    SCENE(beside);
    SCENE(in_the_heap);
    SCENE(in_the_heap_beside);
    SCENE(where_kept);
    SCENE(what_kept);
    SCENE(points_to_kept);
    SCENE(looks_at_kept);
    SCENE(order);
    SCENE(late);
    SCENE(early);
    SCENE(first);
    SCENE(looks);
    SCENE(peeks);
    SCENE(shows);
    SCENE(holds);
    SCENE(one_by_one);
    SCENE(knows);
    return 0;
}
