/* expect: incomplete; reason: socket */
#include <assert.h>
#include <sys/socket.h>

int main(void) {
    assert(socket(AF_INET, SOCK_STREAM, 0) == -1);
    return 0;
}
