/* Store buffering: each thread writes one variable and reads the other.  In every interleaving one of them sees what the other
 * wrote, so the assertion holds; with relaxed accesses every processor of today lets it fail. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER relaxed
#endif
#define JOINED(a, b) a##b
#define NAMED(order) JOINED(memory_order_, order)

static atomic_int x, y;
static int seen_by_first, seen_by_second;

static void *first(void *unused)
{
    atomic_store_explicit(&x, 1, NAMED(ORDER));
    seen_by_first = atomic_load_explicit(&y, NAMED(ORDER));
    return unused;
}

static void *second(void *unused)
{
    atomic_store_explicit(&y, 1, NAMED(ORDER));
    seen_by_second = atomic_load_explicit(&x, NAMED(ORDER));
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_by_first || seen_by_second);
}
