/* expect: holds; executions: 6; why: a thread that main started is still named on its stack, above a library that calls back */
#include <assert.h>
#include <ftw.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    add();
    return unused;
}

static int each(const char *path, const struct stat *about, int kind)
{
    (void)path, (void)about, (void)kind;
    add();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, &attributes, work, NULL);
    ftw("/dev/null", each, 1);
    pthread_mutex_lock(&lock);
    assert(count >= 1);
    pthread_mutex_unlock(&lock);
    pthread_exit(NULL);
}
