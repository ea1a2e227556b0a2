/* The work-stealing deque of Chase and Lev, with the orders of Le, Pop, Cohen, Zappa Nardelli (PPoPP 2013): the owner works at
 * the bottom, thieves at the top; the fence decides who gets the last item.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel /* the owner may read an old top although it has lowered the bottom */
#else
#define FENCE memory_order_seq_cst
#endif

enum { SIZE = 4, ITEMS = 2, EMPTY = -1 };

static atomic_int top, bottom, items[SIZE];
static atomic_int taken[ITEMS];

static void push(int item)
{
    int at = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[at % SIZE], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, at + 1, memory_order_relaxed);
}

static int take(void)
{
    int at = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, at, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    int first = atomic_load_explicit(&top, memory_order_relaxed);
    if (first > at) {
        atomic_store_explicit(&bottom, at + 1, memory_order_relaxed);
        return EMPTY;
    }
    int item = atomic_load_explicit(&items[at % SIZE], memory_order_relaxed);
    if (first < at)
        return item;
    if (!atomic_compare_exchange_strong_explicit(&top, &first, first + 1, memory_order_seq_cst, memory_order_relaxed))
        item = EMPTY; /* a thief was faster */
    atomic_store_explicit(&bottom, at + 1, memory_order_relaxed);
    return item;
}

static int steal(void)
{
    int first = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(FENCE);
    if (first >= atomic_load_explicit(&bottom, memory_order_acquire))
        return EMPTY;
    int item = atomic_load_explicit(&items[first % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &first, first + 1, memory_order_seq_cst, memory_order_relaxed))
        return EMPTY;
    return item;
}

static void use(int item)
{
    if (item != EMPTY)
        assert(atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed) == 0);
}

static void *thief(void *unused)
{
    use(steal());
    use(steal());
    return unused;
}

int main(void)
{
    pthread_t thread;
    push(0);
    push(1);
    pthread_create(&thread, NULL, thief, NULL);
    use(take());
    use(take());
    pthread_join(thread, NULL);
}
