/* expect: violated assertion */
/* Nothing orders the two writers but the file itself. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *work(void *argument) {
    char letter = (char)(long)argument;
    assert(write(file, &letter, 1) == 1);
    return NULL;
}

int main(int count, char **words) {
    pthread_t threads[2];
    char letters[2];
    assert(count > 1);
    file = open(words[1], O_RDWR | O_CREAT, 0600);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)('a' + i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(pread(file, letters, 2, 0) == 2);
    assert(letters[0] == 'a');
    return 0;
}
