/* The classical litmus programs: litmus SHAPE STRENGTH.  Each asserts that what no interleaving can show is not seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { THREADS = 4 };
static atomic_int x, y, z;
static int r[4];
static memory_order reads = memory_order_seq_cst, writes = memory_order_seq_cst;
static bool locks, fences;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int load(atomic_int *from)
{
    if (locks)
        pthread_mutex_lock(&lock);
    int value = atomic_load_explicit(from, reads);
    if (locks)
        pthread_mutex_unlock(&lock);
    return value;
}

static void store(atomic_int *to, int value)
{
    if (locks)
        pthread_mutex_lock(&lock);
    atomic_store_explicit(to, value, writes);
    if (locks)
        pthread_mutex_unlock(&lock);
}

static void between(void)
{
    if (fences)
        atomic_thread_fence(memory_order_seq_cst);
}

#define THREAD(name, first, second) static void *name(void *unused) { first; between(); second; return unused; }
THREAD(sb_0, store(&x, 1), r[0] = load(&y))
THREAD(sb_1, store(&y, 1), r[1] = load(&x))
THREAD(mp_0, store(&x, 1), store(&y, 1))
THREAD(mp_1, r[0] = load(&y), r[1] = load(&x))
THREAD(lb_0, r[0] = load(&x), store(&y, 1))
THREAD(lb_1, r[1] = load(&y), store(&x, 1))
THREAD(write_x, store(&x, 1), )
THREAD(write_y, store(&y, 1), )
THREAD(iriw_2, r[0] = load(&x), r[1] = load(&y))
THREAD(iriw_3, r[2] = load(&y), r[3] = load(&x))
THREAD(ww_0, store(&x, 1), store(&y, 2))
THREAD(ww_1, store(&y, 1), store(&x, 2))
THREAD(r_1, store(&y, 2), r[0] = load(&x))
THREAD(s_0, store(&x, 2), store(&y, 1))
THREAD(s_1, r[0] = load(&y), store(&x, 1))
THREAD(wrc_1, r[0] = load(&x), store(&y, 1))
THREAD(wrc_2, r[1] = load(&y), r[2] = load(&x))
THREAD(isa_1, r[0] = load(&y), store(&z, 1))
THREAD(isa_2, r[1] = load(&z), r[2] = load(&x))
THREAD(corr_1, r[0] = load(&x), r[1] = load(&x))

static bool is(int a, int b, int c, int d)
{
    return r[0] == a && r[1] == b && r[2] == c && r[3] == d;
}

static bool sb(void) { return is(0, 0, 0, 0); }
static bool mp(void) { return is(1, 0, 0, 0); }
static bool lb(void) { return is(1, 1, 0, 0); }
static bool iriw(void) { return is(1, 0, 1, 0); }
static bool ww(void) { return x == 1 && y == 1; }
static bool shape_r(void) { return y == 2 && r[0] == 0; }
static bool shape_s(void) { return x == 2 && r[0] == 1; }
static bool three(void) { return is(1, 1, 0, 0); }
static bool corr(void) { return is(1, 0, 0, 0); }

static struct {
    const char *name;
    void *(*thread[THREADS])(void *);
    bool (*weak)(void);
} shapes[] = {
    {"SB", {sb_0, sb_1}, sb}, {"MP", {mp_0, mp_1}, mp}, {"LB", {lb_0, lb_1}, lb}, {"2+2W", {ww_0, ww_1}, ww},
    {"IRIW", {write_x, write_y, iriw_2, iriw_3}, iriw}, {"R", {mp_0, r_1}, shape_r}, {"S", {s_0, s_1}, shape_s},
    {"WRC", {write_x, wrc_1, wrc_2}, three}, {"ISA2", {mp_0, isa_1, isa_2}, three}, {"CoRR", {write_x, corr_1}, corr},
};

static void choose(const char *strength)
{
    if (!strcmp(strength, "relaxed") || !strcmp(strength, "fences") || !strcmp(strength, "locks"))
        reads = writes = memory_order_relaxed;
    if (!strcmp(strength, "acquire-release"))
        reads = memory_order_acquire, writes = memory_order_release;
    if (!strcmp(strength, "relaxed-loads"))
        reads = memory_order_relaxed;
    if (!strcmp(strength, "relaxed-stores"))
        writes = memory_order_relaxed;
    fences = !strcmp(strength, "fences");
    locks = !strcmp(strength, "locks");
}

int main(int count, char **words)
{
    pthread_t thread[THREADS];
    assert(count == 3);
    choose(words[2]);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int n = 0;
        if (strcmp(shapes[i].name, words[1]))
            continue;
        for (; n < THREADS && shapes[i].thread[n]; n++)
            pthread_create(&thread[n], NULL, shapes[i].thread[n], NULL);
        for (int t = 0; t < n; t++)
            pthread_join(thread[t], NULL);
        assert(!shapes[i].weak());
        return 0;
    }
    return 2;
}
