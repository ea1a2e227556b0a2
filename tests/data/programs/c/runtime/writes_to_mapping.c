/* expect: violated crash */
/* It was mapped for reading only. */
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    char *text = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    text[1] = text[0];
    return 0;
}
