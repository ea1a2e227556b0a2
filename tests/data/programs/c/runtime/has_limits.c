/* expect: holds; executions: 2 */
/* A limit that is raised is as it was when the next execution begins; and so is the language. */
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    last = *(int *)argument;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    struct rlimit limit, core = {0, 0}, again;
    assert(getrlimit(RLIMIT_CORE, &limit) == 0);
    assert(setrlimit(RLIMIT_CORE, &core) == 0);
    assert(getrlimit(RLIMIT_CORE, &again) == 0 && again.rlim_max == 0);
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(strcmp(setlocale(LC_CTYPE, NULL), "C") == 0);
    setlocale(LC_CTYPE, "");
    mode_t mask = umask(077);
    assert(umask(077) == 077 && mask != 077);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return last == 0;
}
