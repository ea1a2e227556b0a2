/* expect: violated invalid-free */
#include <stdlib.h>

int main(void) {
    char *p = malloc(100);
    char *volatile q = p + 32;
    free(q);
    return 0;
}
