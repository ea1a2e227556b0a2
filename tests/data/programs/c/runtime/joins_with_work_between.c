/* expect: violated assertion */
/* Between the joins main looks at what the second thread does: they must not be one operation. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int second_done;

static void *first(void *unused) { return unused; }
static void *second(void *unused) { second_done = 1; return unused; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    assert(second_done);
    pthread_join(b, NULL);
    return 0;
}
