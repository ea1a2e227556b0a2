/* expect: holds; executions: 2 */
/* What is mapped is there in each execution as it is at first, and can be used to the end of its last page. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *number;
static char *text;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    ++*number;
    text[0] ^= 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **words) {
    pthread_t threads[2];
    int file = open(words[2], O_RDONLY);
    assert(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED && errno == EINVAL);
    assert(mmap(NULL, 4, PROT_READ, MAP_PRIVATE, 77, 0) == MAP_FAILED && errno == EBADF);
    number = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    text = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    assert(*number == 0 && strcmp(text, "old\n") == 0 && text[4095] == 0);
    number[1500] = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(*number == 2 && strcmp(text, "old\n") == 0);
    assert(munmap(text, 4) == 0 && munmap((char *)number + 4096, 4096) == 0);
    return *number != 2;
}
