/* expect: violated assertion */
/* Two customers of one account.  Each access is protected, but between looking and taking somebody else may take.
 *
 *     isospin check examples/c/bank.c
 *     isospin check examples/c/bank.c --cflags -DFIXED
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int current(void) {
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void take(int amount) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (balance >= amount)
#endif
        balance -= amount;
    assert(balance >= 0);
    pthread_mutex_unlock(&lock);
}

static void *customer(void *unused) {
    if (current() >= 60)
        take(60);
    return unused;
}

int main(void) {
    pthread_t customers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&customers[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(customers[i], NULL);
    return 0;
}
