/* expect: holds */
/* Five customers, three tickets: nobody gets one that is not there.  They can come in 120 orders, and are all alike.
 *
 *     isospin check examples/c/shop.c
 */
#include <assert.h>
#include <pthread.h>

enum { CUSTOMERS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 3, sold;

static void *buy(void *unused) {
    pthread_mutex_lock(&lock);
    if (tickets > 0) {
        tickets--;
        sold++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t customers[CUSTOMERS];
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&customers[i], NULL, buy, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(customers[i], NULL);
    assert(tickets == 0 && sold == 3);
    return 0;
}
