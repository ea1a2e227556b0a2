/* expect: incomplete; reason: asks the network */
#include <assert.h>
#include <netdb.h>
#include <stddef.h>

int main(void) {
    struct addrinfo *found;
    assert(getaddrinfo("127.0.0.1", "80", NULL, &found) == 0); /* this is none of its business */
    freeaddrinfo(found);
    getaddrinfo("localhost", "80", NULL, &found);
    return 0;
}
