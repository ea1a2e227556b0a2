/* Addresses of the network as texts and numbers: nothing is asked of it.  See announce.h. */
#include "libc/announce.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static size_t size_of_address(int family)
{
    return family == AF_INET ? sizeof(struct in_addr) : family == AF_INET6 ? sizeof(struct in6_addr) : 0;
}

EXPORT const char *isospin_inet_ntop(int family, const void *from, char *to, socklen_t size)
{
    void **entry = HERE;
    READS(from, size_of_address(family));
    const char *result = inet_ntop(family, from, to, size);
    if (result)
        WRITES(to, strlen(to) + 1);
    return result;
}

EXPORT int isospin_inet_pton(int family, const char *from, void *to)
{
    void **entry = HERE;
    reads_text(from, entry);
    WRITES(to, size_of_address(family));
    return inet_pton(family, from, to);
}
