/* expect: violated assertion */
/* Whether the walk meets the file, which is made below a directory on its way, depends on who comes first. */
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[300];
static int met;

static int visit(const char *path, const struct stat *status, int kind) {
    met += kind == FTW_F && strcmp(path, name) == 0;
    return 0;
}

static void *make(void *unused) {
    close(open(name, O_CREAT | O_WRONLY, 0600));
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    char path[300];
    assert(mkdir(words[1], 0700) == 0);
    strcat(strcpy(name, words[1]), "/below");
    strcpy(path, words[1]);
    dirname(path);
    pthread_create(&thread, NULL, make, NULL);
    assert(ftw(path, visit, 1000000) == 0);
    pthread_join(thread, NULL);
    assert(met == 0);
    return 0;
}
