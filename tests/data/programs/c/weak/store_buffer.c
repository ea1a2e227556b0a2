/* Store buffering; ORDER is the memory order of all accesses. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int r, s;
static void *one(void *u) { atomic_store_explicit(&x, 1, ORDER); r = atomic_load_explicit(&y, ORDER); return u; }
static void *two(void *u) { atomic_store_explicit(&y, 1, ORDER); s = atomic_load_explicit(&x, ORDER); return u; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(r || s);
}
