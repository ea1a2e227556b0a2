/* expect: incomplete; reason: pthread_getname_np gives no name; why: names of threads are not kept */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused)
{
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
