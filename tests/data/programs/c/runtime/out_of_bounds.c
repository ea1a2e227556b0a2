/* expect: violated out-of-bounds */
#include <stdlib.h>

int main(void) {
    char *volatile p = malloc(30);
    p[30] = 1;
    free(p);
    return 0;
}
