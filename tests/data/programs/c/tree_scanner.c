/* expect: holds; why: nothing is given to it here; tests/hosts/c/test_orbits.py gives it a file */
/* A parallel scanner of trees, in the shape of pfscan: main starts workers, walks over trees with ftw, and puts the
 * names of files into a queue that has room for a few; who takes one reads the file into a buffer of its own, counts
 * matches under one lock, prints under another one, and frees both.  Main waits until no worker is active. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct {
    void **buf;
    int qsize, occupied, nextin, nextout, closed;
    pthread_mutex_t mtx;
    pthread_cond_t more, less;
} pqueue;
static int pqueue_init(pqueue *q, int size)
{
    q->buf = calloc(size, sizeof(void *));
    if (!q->buf)
        return -1;
    q->qsize = size;
    q->occupied = q->nextin = q->nextout = q->closed = 0;
    pthread_mutex_init(&q->mtx, NULL);
    pthread_cond_init(&q->more, NULL);
    pthread_cond_init(&q->less, NULL);
    return 0;
}
static void pqueue_close(pqueue *q)
{
    pthread_mutex_lock(&q->mtx);
    q->closed = 1;
    pthread_mutex_unlock(&q->mtx);
    pthread_cond_broadcast(&q->more);
}
static int pqueue_put(pqueue *q, void *item)
{
    pthread_mutex_lock(&q->mtx);
    if (q->closed) {
        pthread_mutex_unlock(&q->mtx);
        return 0;
    }
    while (q->occupied >= q->qsize)
        pthread_cond_wait(&q->less, &q->mtx);
    q->buf[q->nextin++] = item;
    q->nextin %= q->qsize;
    q->occupied++;
    pthread_mutex_unlock(&q->mtx);
    pthread_cond_signal(&q->more);
    return 1;
}
static int pqueue_get(pqueue *q, void **item)
{
    int got = 0;
    pthread_mutex_lock(&q->mtx);
    while (q->occupied <= 0 && !q->closed)
        pthread_cond_wait(&q->more, &q->mtx);
    if (q->occupied > 0) {
        *item = q->buf[q->nextout++];
        q->nextout %= q->qsize;
        q->occupied--;
        got = 1;
        pthread_mutex_unlock(&q->mtx);
        pthread_cond_signal(&q->less);
    } else
        pthread_mutex_unlock(&q->mtx);
    return got;
}
static pqueue pqb;
static int aworkers, nworkers = 2, verbose, matches, bytes;
static pthread_mutex_t aworker_lock = PTHREAD_MUTEX_INITIALIZER, matches_lock = PTHREAD_MUTEX_INITIALIZER,
                       print_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t aworker_cv = PTHREAD_COND_INITIALIZER;
static const char *rstr;
static int rlen;
static int scan_file(const char *path)
{
    int fd = open(path, O_RDONLY), found = 0;
    if (fd < 0)
        return 0;
    char *buf = malloc(256);
    int len = (int)read(fd, buf, 256);
    close(fd);
    for (int i = 0; i + rlen <= len; i++)
        if (memcmp(buf + i, rstr, rlen) == 0)
            found++;
    pthread_mutex_lock(&matches_lock);
    matches += found;
    bytes += len;
    pthread_mutex_unlock(&matches_lock);
    if (found) {
        pthread_mutex_lock(&print_lock);
        printf("%s: %d\n", path, found);
        pthread_mutex_unlock(&print_lock);
    }
    free(buf);
    return found;
}
static void *worker(void *arg)
{
    void *vp;
    while (pqueue_get(&pqb, &vp)) {
        char *path = vp;
        scan_file(path);
        free(path);
    }
    pthread_mutex_lock(&aworker_lock);
    aworkers--;
    pthread_mutex_unlock(&aworker_lock);
    pthread_cond_signal(&aworker_cv);
    return NULL;
}
static int walker(const char *path, const struct stat *sp, int flag)
{
    if (flag == FTW_F)
        pqueue_put(&pqb, strdup(path));
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t tid;
    pthread_attr_t pab;
    if (argc < 3)
        return 0;
    rstr = argv[1];
    rlen = (int)strlen(rstr);
    pqueue_init(&pqb, nworkers + 2);
    pthread_attr_init(&pab);
    pthread_attr_setdetachstate(&pab, PTHREAD_CREATE_DETACHED);
    aworkers = nworkers;
    for (int i = 0; i < nworkers; i++)
        if (pthread_create(&tid, &pab, worker, NULL))
            return 2;
    for (int i = 2; i < argc; i++)
        ftw(argv[i], walker, 16);
    pqueue_close(&pqb);
    pthread_mutex_lock(&aworker_lock);
    while (aworkers > 0)
        pthread_cond_wait(&aworker_cv, &aworker_lock);
    pthread_mutex_unlock(&aworker_lock);
    return matches > 0 ? 0 : 1;
}
