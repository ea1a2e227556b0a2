/* expect: violated assertion */
/* Whether the file is there depends on who comes first, by whatever name it is looked for. */
#include <assert.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char *name;

static void *make(void *unused) {
    close(open(name, O_CREAT | O_WRONLY, 0600));
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    char directory[300], last[300];
    assert(count > 1);
    name = words[1];
    assert(chdir(dirname(strcpy(directory, name))) == 0);
    const char *shorter = basename(strcpy(last, name));
    assert(access(shorter, F_OK) != 0);
    pthread_create(&thread, NULL, make, NULL);
    int there = access(shorter, F_OK) == 0;
    pthread_join(thread, NULL);
    assert(!there);
    return 0;
}
