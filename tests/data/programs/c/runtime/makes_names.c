/* expect: holds */
/* Names that nobody has are the same in each execution, and what was made is gone before the next one. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *place;

static void *work(void *unused) {
    char file[300], directory[300];
    struct stat there;
    snprintf(file, sizeof file, "%s.XXXXXX", place);
    snprintf(directory, sizeof directory, "%s-XXXXXX", place);
    int number = mkstemp(file);
    assert(number >= 0 && write(number, "abc", 3) == 3 && fstat(number, &there) == 0 && there.st_size == 3);
    assert(mkdtemp(directory) && stat(directory, &there) == 0 && S_ISDIR(there.st_mode));
    FILE *stream = tmpfile();
    assert(stream && fputs("abc", stream) >= 0);
    fclose(stream);
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    place = words[1];
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
