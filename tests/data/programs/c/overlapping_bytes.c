/* expect: violated race */
/* One writes a word, the other a byte of it. */
#include <pthread.h>

static union {
    int word;
    char bytes[4];
} cell;

static void *whole(void *unused) {
    cell.word = 7;
    return unused;
}

static void *part(void *unused) {
    cell.bytes[2] = 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, whole, NULL);
    pthread_create(&b, NULL, part, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
