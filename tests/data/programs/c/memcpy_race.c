/* expect: violated race */
/* A copy reads what another thread writes. */
#include <pthread.h>
#include <string.h>

static char text[16] = "before";

static void *change(void *unused) {
    strcpy(text, "after");
    return unused;
}

int main(void) {
    char copy[16];
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    memcpy(copy, text, sizeof copy);
    pthread_join(thread, NULL);
    return copy[0] == 'b' ? 0 : 1;
}
