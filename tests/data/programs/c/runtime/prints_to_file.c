/* expect: violated assertion */
/* The descriptor is the only thing that orders what is printed to it. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int file;

static void *work(void *argument) {
    dprintf(file, "%.*s", 1, (const char *)argument);
    return NULL;
}

int main(int count, char **words) {
    pthread_t threads[2];
    char letters[2];
    assert(count > 1);
    file = open(words[1], O_RDWR | O_CREAT, 0600);
    pthread_create(&threads[0], NULL, work, "a");
    pthread_create(&threads[1], NULL, work, "b");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(pread(file, letters, 2, 0) == 2);
    assert(letters[0] == 'a');
    return 0;
}
