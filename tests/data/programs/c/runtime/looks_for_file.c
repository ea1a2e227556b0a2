/* expect: violated assertion */
/* Whether the file is there depends on who comes first. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static const char *name;

static void *make(void *unused) {
    close(open(name, O_CREAT | O_WRONLY, 0600));
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    assert(count > 1);
    name = words[1];
    assert(access(name, F_OK) != 0);
    pthread_create(&thread, NULL, make, NULL);
    int there = access(name, F_OK) == 0;
    pthread_join(thread, NULL);
    assert(!there);
    return 0;
}
