/* Pairs of threads that are symmetric at some point, or not; argv[1] chooses.  See test_c_alike.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <isospin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local volatile long used;
static void use(long value) /* it matters what it is */
{
    isospin_assert(value < 1000);
    used = value;
    used = 0;
}

static void cross(pthread_mutex_t *lock) /* every thread stops before a lock once */
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

/* ---- plain: nothing tells them apart, and the number that they get does not matter */
static void *plain(void *number)
{
    long own = (long)number;
    use(own > 1);
    cross(&second);
    return NULL;
}

/* ---- argument: it is read later */
static void *argument(void *number)
{
    cross(&second);
    use((long)number > 1);
    return NULL;
}

/* ---- owner: one of them holds a lock, and nothing in its own memory says so */
static void *owner(void *unused)
{
    (void)unused;
    pthread_mutex_trylock(&first);
    cross(&second);
    pthread_mutex_trylock(&first);
    return NULL;
}

/* ---- leader: a variable names one of them; read later by the threads, or by nobody */
static pthread_t leader;
static void *leads(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&first);
    if (!leader)
        leader = pthread_self();
    pthread_mutex_unlock(&first);
    cross(&second);
    if (pthread_equal(leader, pthread_self()))
        use(0);
    return NULL;
}

static pthread_t forgotten;
static void *led(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&first);
    if (!forgotten)
        forgotten = pthread_self();
    pthread_mutex_unlock(&first);
    cross(&second);
    return NULL;
}

/* ---- packed: the same, and the name is not aligned */
static struct __attribute__((packed)) {
    char before;
    uintptr_t whom;
} packed;
static void *packs(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&first);
    uintptr_t none = 0, self = (uintptr_t)pthread_self();
    if (memcmp(&packed.whom, &none, sizeof none) == 0)
        memcpy(&packed.whom, &self, sizeof self);
    pthread_mutex_unlock(&first);
    cross(&second);
    use(packed.before);
    return NULL;
}

/* ---- chance: numbers that were there before the threads look like addresses of one of them */
struct __attribute__((packed)) unaligned {
    char before;
    uint64_t number;
};
static struct unaligned shared_number = {0, 0x100040200030};
static _Thread_local struct unaligned own_number = {0, 0x100080200030};
static void *chance(void *unused)
{
    (void)unused;
    cross(&second);
    use(shared_number.before + own_number.before);
    return NULL;
}

/* ---- stack: a variable has the address of a local of one of them */
static long *where;
static void *lends(void *unused)
{
    long local = (long)(intptr_t)unused & 0;
    pthread_mutex_lock(&first);
    if (!where)
        where = &local;
    pthread_mutex_unlock(&first);
    cross(&second);
    pthread_mutex_lock(&first);
    *where += 1;
    pthread_mutex_unlock(&first);
    return (void *)local;
}

/* ---- field: an address of one field of a local of main leads to the others */
struct both {
    int count;
    pthread_t threads[2];
};
static void *looks(void *count)
{
    cross(&second);
    struct both *both = (struct both *)((char *)count - offsetof(struct both, count));
    use(pthread_equal(both->threads[0], pthread_self()));
    return NULL;
}

/* ---- local storage, thread-specific data */
static __thread int mine;
static void *stores(void *number)
{
    mine = (int)(long)number;
    cross(&second);
    use(mine > 1);
    return NULL;
}

static pthread_key_t key;
static void *specific(void *number)
{
    pthread_setspecific(key, number);
    cross(&second);
    use((long)pthread_getspecific(key) > 1);
    return NULL;
}

/* ---- heap: blocks with the same or with different content; freed ones do not count */
static void *keeps(void *number)
{
    long *block = malloc(16);
    block[1] = (long)number;
    cross(&second);
    use(block[1] > 1);
    free(block);
    return NULL;
}

static void *drops(void *number)
{
    long *block = malloc(16);
    block[1] = (long)number;
    free(block);
    cross(&second);
    return NULL;
}

static void *own_lock(void *unused)
{
    (void)unused;
    pthread_mutex_t *lock = calloc(1, sizeof *lock);
    char *room = malloc(100);
    cross(lock);
    cross(&second);
    free(lock);
    free(room);
    return NULL;
}

/* ---- code: different functions, with the same text or not */
static void add_one(void)
{
    cross(&first);
    use(1);
}
static void add_1(void)
{
    cross(&first);
    use(1);
}
static void add_two(void)
{
    cross(&first);
    use(2);
}
static void *calls_one(void *unused)
{
    long a = 3, b = 4;
    (void)unused;
    cross(&second);
    if (a < b)
        add_one();
    return NULL;
}
static void *calls_1(void *unused)
{
    long pad = (long)unused, b = 4, a = 3;
    use(pad > 1);
    cross(&second);
    if (a < b)
        add_1();
    return NULL;
}
static void *calls_two(void *unused)
{
    long a = 3, b = 4;
    (void)unused;
    cross(&second);
    if (a < b)
        add_two();
    return NULL;
}

static void *calls_one_later(void *unused)
{
    long a = 5, b = 4;
    (void)unused;
    cross(&second);
    if (a < b)
        add_one();
    return NULL;
}

/* ---- depth: the same code, but its locals, which it shows to others, are elsewhere */
static void inner(void)
{
    long own = 0;
    cross(&second);
    pthread_mutex_lock(&first);
    where = &own;
    pthread_mutex_unlock(&first);
}
static void *shallow(void *unused)
{
    inner();
    return unused;
}
static void *deep(void *unused)
{
    char room[200];
    memset(room, 0, sizeof room);
    inner();
    return unused;
}

/* ---- frees: the same blocks, of which not the same one was freed */
static void *frees(void *number)
{
    void *blocks[2];
    for (int i = 0; i < 2; i++)
        blocks[i] = malloc(16);
    free(blocks[(long)number - 1]);
    memset(blocks, 0, sizeof blocks);
    number = NULL;
    cross(&second);
    return number;
}

/* ---- register: an intermediate value, which gcc keeps in a register */
static long value_of(void *number)
{
    return (long)number;
}
static long crossing(void)
{
    cross(&second);
    return 0;
}
static void *computes(void *number)
{
    use(value_of(number) + crossing());
    return NULL;
}

/* ---- errno */
static void *sets_errno(void *number)
{
    errno = (int)(long)number;
    cross(&second);
    use(errno);
    return NULL;
}

/* ---- copies: both have the name of one of them, not aligned, in blocks of their own */
static uintptr_t chief;
static void *copies(void *unused)
{
    char *block = calloc(1, 32);
    pthread_mutex_lock(&first);
    if (!chief)
        chief = (uintptr_t)pthread_self();
    memcpy(block + 1, &chief, sizeof chief);
    pthread_mutex_unlock(&first);
    cross(&second);
    uintptr_t self = (uintptr_t)pthread_self();
    use(memcmp(block + 1, &self, sizeof self) == 0);
    free(block);
    return unused;
}

/* ---- shows: a local that only a pointer in the heap leads to */
static void *shows(void *number)
{
    long own = (long)number;
    long **block = malloc(sizeof *block);
    *block = &own;
    number = NULL;
    cross(&second);
    use(**block);
    free(block);
    return number;
}

/* ---- value: what an atomic operation will store is nowhere but in the call */
static atomic_int cell;
static void *puts_value(void *number)
{
    atomic_store(&cell, (int)(long)number > 1 ? 7 : 5);
    use(atomic_load(&cell) == 7);
    return NULL;
}
static atomic_int unread;
static void *puts_unread(void *number)
{
    atomic_store(&unread, (int)(long)number > 1 ? 7 : 5);
    return NULL;
}

/* ---- cell: each has a cell of an array */
static int cells[4];
static void *fills(void *number)
{
    int *own = &cells[(long)number];
    cross(&second);
    *own = 1;
    return NULL;
}

/* ---- result: what they return */
static void *returns(void *number)
{
    cross(&second);
    return number;
}

/* ---- numbers: code that will ask who it is */
static void *asks(void *unused)
{
    (void)unused;
    cross(&second);
    use(gettid() > 1);
    return NULL;
}

/* ---- creates: code that will start a thread */
static void *creates(void *unused)
{
    pthread_t child;
    (void)unused;
    cross(&second);
    pthread_create(&child, NULL, plain, NULL);
    pthread_join(child, NULL);
    return NULL;
}

/* ---- history: one of them wrote what the other may read, and they are at the same place */
static int written;
static atomic_int turn;
static void rest(void)
{
    int before = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    if (before)
        use(written);
}
static void *writes(void *unused)
{
    (void)unused;
    written = 1;
    rest();
    return NULL;
}
static void *reads(void *unused)
{
    (void)unused;
    rest();
    return NULL;
}

/* ---- waiting: at a condition, woken or not */
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void *waits(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&first);
    pthread_cond_wait(&condition, &first);
    pthread_mutex_unlock(&first);
    return NULL;
}

/* ---- what is in no memory of the program: the second one has done something, and nothing but its record says so */
static void *tosses(void *number)
{
    use(isospin_toss((int)(long)number));
    return NULL;
}

static void *draws(void *number)
{
    unsigned drawn = 0;
    if ((long)number > 1)
        getrandom(&drawn, sizeof drawn, 0);
    drawn = 0;
    cross(&second);
    getrandom(&drawn, sizeof drawn, 0);
    use(drawn % 1000);
    return NULL;
}

static void *sleeps(void *number)
{
    struct timespec now = {0, 0};
    if ((long)number > 1)
        usleep(1);
    cross(&second);
    clock_gettime(CLOCK_MONOTONIC, &now);
    use(now.tv_nsec % 1000);
    return NULL;
}

static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static void *holds_shelf(void *number)
{
    if ((long)number > 1)
        pthread_rwlock_rdlock(&shelf);
    cross(&second);
    use(pthread_rwlock_unlock(&shelf));
    return NULL;
}

static sem_t empty;
static void *times_out(void *number)
{
    struct timespec past = {0, 0};
    if ((long)number > 1)
        sem_timedwait(&empty, &past);
    errno = 0;
    cross(&second);
    for (int i = 0; i < 2; i++)
        sem_timedwait(&empty, &past);
    return NULL;
}

/* ---- wakes: the third has signalled, and still has the lock that both wait for */
static void *wakes(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&first);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&first);
    return NULL;
}

/* ---- third: another thread knows one of them */
static void *knows(void *whom)
{
    cross(&second);
    use(pthread_equal((pthread_t)whom, pthread_self()));
    return NULL;
}

/* ---------------------------------------------------------------- main */

typedef void *routine(void *);

static int two(routine *one, routine *other)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, (void *)1);
    pthread_create(&threads[1], NULL, other, (void *)2);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static pthread_t global_threads[2];
static int two_global(routine *each)
{
    for (long i = 0; i < 2; i++)
        pthread_create(&global_threads[i], NULL, each, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(global_threads[i], NULL);
    return 0;
}

static int two_allocated(routine *each)
{
    pthread_t *threads = malloc(2 * sizeof *threads);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, each, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}

static int only_one(routine *each)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, each, NULL);
    pthread_join(threads[0], NULL);
    cross(&first);
    pthread_join(threads[1], NULL);
    return 0;
}

static int with_results(routine *each)
{
    pthread_t threads[2];
    void *results[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, each, (void *)i);
    cross(&first);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    return results[0] == results[1];
}

static int one_detached(routine *each)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, each, NULL);
    pthread_detach(threads[0]);
    cross(&first);
    return 0;
}

static int with_field(routine *each)
{
    struct both both = {0, {0, 0}};
    pthread_create(&both.threads[0], NULL, each, &both.count);
    pthread_create(&both.threads[1], NULL, each, &both.count);
    for (int i = 0; i < 2; i++)
        pthread_join(both.threads[i], NULL);
    cross(&first);
    return both.count;
}

static int with_third(routine *each, routine *other)
{
    pthread_t threads[3];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, each, NULL);
    pthread_create(&threads[2], NULL, other, (void *)threads[0]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    static const struct {
        const char *name;
        routine *one, *other;
    } scenes[] = {
        {"plain", plain, plain}, {"argument", argument, argument}, {"owner", owner, owner}, {"leads", leads, leads},
        {"led", led, led}, {"packs", packs, packs}, {"lends", lends, lends}, {"chance", chance, chance},
        {"stores", stores, stores}, {"keeps", keeps, keeps}, {"drops", drops, drops}, {"own_lock", own_lock, own_lock},
        {"same_text", calls_one, calls_1}, {"other_text", calls_one, calls_two}, {"puts_value", puts_value, puts_value},
        {"puts_unread", puts_unread, puts_unread},
        {"paired", calls_one, calls_one_later}, {"depth", shallow, deep}, {"frees", frees, frees},
        {"computes", computes, computes}, {"errno", sets_errno, sets_errno}, {"copies", copies, copies},
        {"shows", shows, shows}, {"fills", fills, fills}, {"returns", returns, returns}, {"asks", asks, asks}, {"creates", creates, creates},
        {"history", writes, reads}, {"waits", waits, waits}, {"specific", specific, specific},
        {"tosses", tosses, tosses}, {"draws", draws, draws}, {"sleeps", sleeps, sleeps},
        {"holds_shelf", holds_shelf, holds_shelf}, {"times_out", times_out, times_out},
    };
    pthread_key_create(&key, NULL);
    sem_init(&empty, 0, 0);
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return two(scenes[i].one, scenes[i].other);
    if (strcmp(name, "global") == 0)
        return two_global(plain);
    if (strcmp(name, "allocated") == 0)
        return two_allocated(plain);
    if (strcmp(name, "only_one") == 0)
        return only_one(plain);
    if (strcmp(name, "results") == 0)
        return with_results(returns);
    if (strcmp(name, "detached") == 0)
        return one_detached(plain);
    if (strcmp(name, "third") == 0)
        return with_third(plain, knows);
    if (strcmp(name, "wakes") == 0)
        return with_third(waits, wakes);
    if (strcmp(name, "field") == 0)
        return with_field(looks);
    return 1;
}
