/* expect: violated use-after-free */
/* Nothing orders the last look at the mapping before its end. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static char *text;

static void *unmap(void *unused) {
    munmap(text, 4);
    return unused;
}

int main(int count, char **words) {
    pthread_t thread;
    text = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, open(words[2], O_RDONLY), 0);
    pthread_create(&thread, NULL, unmap, NULL);
    int empty = text[0] == 0;
    pthread_join(thread, NULL);
    return empty;
}
