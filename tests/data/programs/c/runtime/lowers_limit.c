/* expect: incomplete; reason: lowers a limit */
#include <sys/resource.h>

int main(void) {
    struct rlimit limit = {10, 10};
    return setrlimit(RLIMIT_NOFILE, &limit);
}
