/* expect: violated assertion */
/* The file is made by its name below an open directory, and looked for by its whole name. */
#include <assert.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char *name;
static char directory[300], last[300];

static void *make(void *unused) {
    int place = open(directory, O_RDONLY | O_DIRECTORY);
    int file = openat(place, last, O_CREAT | O_WRONLY, 0600);
    assert(file >= 0);
    close(file);
    close(place);
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    char copy[300];
    name = words[1];
    strcpy(copy, name);
    strcpy(directory, dirname(copy));
    strcpy(copy, name);
    strcpy(last, basename(copy));
    assert(access(name, F_OK) != 0);
    pthread_create(&thread, NULL, make, NULL);
    int there = access(name, F_OK) == 0;
    pthread_join(thread, NULL);
    assert(!there);
    return 0;
}
