/* expect: violated assertion; why: the low byte of a number is overwritten, the others stay */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun;

static void *work(void *given)
{
    int number = (int)(long)given, first = atomic_fetch_add(&begun, 1) == 0;
    int chosen = 0, shifted = number << 8;
    __asm__("movb $0, %%al; cmpl $512, %%eax; jne 1f; movl $1, %[chosen]; 1:"
            : [chosen] "+r"(chosen), "+a"(shifted)
            :
            : "cc");
    isospin_assert(!(first && chosen));
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
