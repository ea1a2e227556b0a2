/* expect: violated assertion; why: errno is not the same in both, and %m looks at it */
#include <isospin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static char seen[2];
static int came, turn;

static void *work(void *unused)
{
    char text[64], *end;
    pthread_mutex_lock(&first);
    if (came++)
        strtol("99999999999999999999999999", &end, 10);
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    snprintf(text, sizeof text, "%m");
    seen[turn++] = text[0];
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(seen[0] <= seen[1]); /* not "Success" before "Numerical result out of range" */
}
