/* expect: violated use-after-free */
/* Nothing orders the last look at the mapping before its end. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static char *text;

static void *work(void *unused) {
    return text[0] ? unused : NULL;
}

int main(int count, char **words) {
    pthread_t thread;
    text = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, open(words[2], O_RDONLY), 0);
    pthread_create(&thread, NULL, work, NULL);
    munmap(text, 4);
    pthread_join(thread, NULL);
    return 0;
}
