/* expect: holds */
/* Three customers, two tickets: nobody gets one that is not there.  They can come in six orders, and are all alike.
 *
 *     isospin check examples/c/shop.c
 */
#include <assert.h>
#include <pthread.h>

enum { CUSTOMERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 2, sold;

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
    assert(tickets == 0 && sold == 2);
    return 0;
}
