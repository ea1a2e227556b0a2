/* expect: holds */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static int ready, prepared;

static void prepare(void) { prepared++; }

static int work(void *unused) {
    (void)unused;
    call_once(&flag, prepare);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return -42;
}

int main(void) {
    thrd_t thread;
    int result;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    assert(thrd_create(&thread, work, NULL) == thrd_success);
    call_once(&flag, prepare);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(thread, &result);
    assert(result == -42 && prepared == 1);
    return 0;
}
