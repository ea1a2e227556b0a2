/* expect: violated race; line: 64; options: -- 2 */
/* A downloader with the network in the same program: what the functions of sockets do is what is written here.  Who
 * waits for signals reads the progress without its lock, but with -D LOCKED. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the network: a document, of which each socket has asked for a part */
static const char document[] = "abcdef";
static struct part { long from, to; } asked[8];
static int sockets;
static pthread_mutex_t network = PTHREAD_MUTEX_INITIALIZER;

int socket(int domain, int type, int protocol)
{
    pthread_mutex_lock(&network);
    int number = sockets++;
    pthread_mutex_unlock(&network);
    return number;
}

int connect(int number, const struct sockaddr *address, socklen_t size) { return 0; }

ssize_t send(int number, const void *text, size_t size, int flags)
{
    assert(sscanf(text, "%ld-%ld", &asked[number].from, &asked[number].to) == 2);
    return (ssize_t)size;
}

ssize_t recv(int number, void *to, size_t size, int flags)
{
    struct part *part = &asked[number];
    if (part->from == part->to)
        return 0;
    *(char *)to = document[part->from++];
    return 1;
}

/* ---- the program */
struct segment { long from, to; pthread_t thread; };
static char target[sizeof document];
static long progress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void show(long done) { fprintf(stderr, "\r%ld of %zu", done, strlen(document)); }

static void *fetch(void *argument)
{
    struct segment *segment = argument;
    char request[32];
    int number = socket(AF_INET, SOCK_STREAM, 0);
    connect(number, NULL, 0);
    snprintf(request, sizeof request, "%ld-%ld", segment->from, segment->to);
    send(number, request, strlen(request), 0);
    for (long at = segment->from; at < segment->to;) {
        ssize_t got = recv(number, &target[at], 1, 0);
        at += got;
        pthread_mutex_lock(&lock);
        progress += got;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *wait_for_alarm(void *set)
{
    int number;
    sigwait(set, &number);
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    show(progress);
    pthread_mutex_unlock(&lock);
#else
    show(progress);
#endif
    return NULL;
}

int main(int count, char **words)
{
    long threads = atol(words[1]), size = (long)strlen(document);
    struct segment segments[4];
    pthread_t waiter;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_create(&waiter, NULL, wait_for_alarm, &set);
    for (long i = 0; i < threads; i++) {
        segments[i] = (struct segment){i * size / threads, (i + 1) * size / threads};
        pthread_create(&segments[i].thread, NULL, fetch, &segments[i]);
    }
    for (long i = 0; i < threads; i++)
        pthread_join(segments[i].thread, NULL);
    assert(strcmp(target, document) == 0);
    pthread_join(waiter, NULL);
    return 0;
}
