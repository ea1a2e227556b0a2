/* expect: violated deadlock */
/* longjmp leaves the function, but not the lock. */
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void risky(jmp_buf out, int fails) {
    pthread_mutex_lock(&lock);
    if (fails)
        longjmp(out, 1);
    pthread_mutex_unlock(&lock);
}

static void *work(void *fails) {
    jmp_buf out;
    if (setjmp(out) == 0)
        risky(out, fails != NULL);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &lock);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
