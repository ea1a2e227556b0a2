/* expect: violated assertion */
/* The file is not there when an execution begins; the lines come in both orders. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    FILE *file = fopen(name, "a");
    fprintf(file, "%ld\n", (long)argument);
    fclose(file);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int count, char **words) {
    pthread_t threads[2];
    struct stat there;
    int a = -1, b = -1;
    char kept[8] = "";
    assert(count == 3);
    name = words[1];
    assert(stat(name, &there) != 0);
    FILE *other = fopen(words[2], "r+");
    assert(fgets(kept, sizeof kept, other) && strcmp(kept, "old\n") == 0);
    rewind(other);
    fputs("new\n", other);
    fclose(other);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    FILE *file = fopen(name, "r");
    assert(fscanf(file, "%d %d", &a, &b) == 2 && a + b == 1);
    assert(a == 0);
    return 0;
}
