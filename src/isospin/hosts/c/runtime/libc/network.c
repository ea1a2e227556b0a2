/* Addresses of the network, as numbers, texts and names.  See announce.h. */
#include "libc/announce.h"
#include "strangers/strangers.h"

#include <arpa/inet.h>
#include <netdb.h>
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

/* ---------------------------------------------------------------- names, which somebody outside knows */

static bool is_number(const char *name)
{
    struct in6_addr address;
    return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

/* SOUND: another time the answer may be another one. */
static void ask_outside(const char *name, void **entry)
{
    reads_text(name, entry);
    if (running && !is_number(name))
        learn_incomplete("the program asks the network for an address, and another time it may answer otherwise");
}

EXPORT struct hostent *isospin_gethostbyname(const char *name)
{
    void **entry = HERE;
    ask_outside(name, entry);
    if (running)
        meet_unseen("gethostbyname", entry); /* its result is in memory that all share */
    return gethostbyname(name);
}

EXPORT int isospin_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                               struct addrinfo **result)
{
    void **entry = HERE;
    settle(entry);
    if (name)
        ask_outside(name, entry);
    if (service)
        reads_text(service, entry);
    if (hints)
        READS(hints, sizeof *hints);
    WRITES(result, sizeof *result);
    return getaddrinfo(name, service, hints, result);
}

EXPORT void isospin_freeaddrinfo(struct addrinfo *list)
{
    settle(HERE);
    freeaddrinfo(list);
}
