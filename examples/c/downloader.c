/* expect: holds */
/* A segmented downloader: several threads fetch one file, each its own segment, and an interrupted download can be resumed.
 *
 *     downloader [-b BLOCK] [-r RECORD] THREADS SOURCE TARGET
 *
 *     -b BLOCK      how many bytes are fetched at a time (default 4096)
 *     -r RECORD     where the state of an interrupted download is kept: what a worker has is not fetched again
 *
 * The source is a local file that stands for the server.  Each worker is given a segment, from one offset to another, fetches it
 * block by block into its place, and after each block enters it into the progress.  The main thread waits for all of them.
 *
 *     isospin check examples/c/downloader.c -- 4 source.bin target.bin
 *
 * With -DBUGGY_RACE the progress is changed without its lock, with -DBUGGY_SPLIT segments overlap by a byte, with -DBUGGY_DEADLOCK
 * the progress and the log are locked in two orders.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_THREADS = 16,
    RECORD_MAGIC = 0x69736f31,
};

/* ---------------------------------------------------------------------------------------------- options */

struct options {
    int threads;
    size_t block;
    const char *record; /* NULL: none */
    const char *source, *target;
};

static struct options options = {.threads = 2, .block = 4096};

/* ---------------------------------------------------------------------------------------------- the server */

/* The file as the server has it. */
struct server {
    unsigned char *data;
    size_t size;
};

static struct server server;

static bool server_open(const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return false;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    server.size = size > 0 ? (size_t)size : 0;
    server.data = malloc(server.size + 1);
    bool fine = fread(server.data, 1, server.size, file) == server.size;
    fclose(file);
    return fine;
}

/* One request: at most so many bytes from there on; how many came. */
static size_t server_fetch(unsigned char *into, size_t from, size_t most) {
    if (from >= server.size)
        return 0;
    size_t left = server.size - from;
    size_t count = most < left ? most : left;
    memcpy(into, server.data + from, count);
    return count;
}

/* ---------------------------------------------------------------------------------------------- segments */

/* A worker and its part of the file.  Who it is only its messages say; the rest is its own until it has ended. */
struct worker {
    int number;
    size_t from, end, done; /* offsets of its segment; bytes that it has */
    pthread_t thread;
};

static struct worker workers[MOST_THREADS];
static unsigned char *target;

static void divide(void) {
    size_t each = (server.size + (size_t)options.threads - 1) / (size_t)options.threads;
    target = calloc(server.size + 1, 1);
    for (int i = 0; i < options.threads; i++) {
        size_t from = each * (size_t)i, end = from + each;
        workers[i].number = i;
        workers[i].from = from < server.size ? from : server.size;
        workers[i].end = end < server.size ? end : server.size;
    }
}

/* ---------------------------------------------------------------------------------------------- progress */

/* How much there is of the whole file, and how many workers are done. */
struct progress {
    pthread_mutex_t lock;
    size_t bytes;
    int done;
};

static struct progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What went wrong, for the user: messages do not get mixed. */
struct log {
    pthread_mutex_t lock;
    int lines;
};

static struct log errors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void complain(const struct worker *worker, const char *what) {
    pthread_mutex_lock(&errors.lock);
    errors.lines++;
    fprintf(stderr, "worker %d: %s\n", worker->number, what);
#ifdef BUGGY_DEADLOCK
    pthread_mutex_lock(&progress.lock); /* with how far we are */
    fprintf(stderr, "%zu bytes so far\n", progress.bytes);
    pthread_mutex_unlock(&progress.lock);
#endif
    pthread_mutex_unlock(&errors.lock);
}

static void enter(size_t bytes) {
#ifndef BUGGY_RACE
    pthread_mutex_lock(&progress.lock);
#endif
    progress.bytes += bytes;
#ifndef BUGGY_RACE
    pthread_mutex_unlock(&progress.lock);
#endif
}

/* The last one says how much there is. */
static void finish(void) {
    pthread_mutex_lock(&progress.lock);
#ifdef BUGGY_DEADLOCK
    pthread_mutex_lock(&errors.lock);
    printf("%d messages\n", errors.lines);
    pthread_mutex_unlock(&errors.lock);
#endif
    if (++progress.done == options.threads)
        printf("%zu of %zu bytes\n", progress.bytes, server.size);
    pthread_mutex_unlock(&progress.lock);
}

/* ---------------------------------------------------------------------------------------------- workers */

/* A block of the segment: how many bytes came. */
static size_t fetch_block(const struct worker *worker) {
    size_t at = worker->from + worker->done, left = worker->end - at;
    size_t most = left < options.block ? left : options.block;
#ifdef BUGGY_SPLIT
    most++; /* the end belongs to the next one */
#endif
    return server_fetch(target + at, at, most);
}

static void fetch(struct worker *worker) {
    while (worker->from + worker->done < worker->end) {
        size_t got = fetch_block(worker);
        if (got == 0) {
            complain(worker, "the server has nothing more");
            break;
        }
        worker->done += got;
        enter(got);
    }
}

static void *work(void *given) {
    struct worker *worker = given;
    fetch(worker);
#ifdef BUGGY_DEADLOCK
    complain(worker, "done");
#endif
    finish();
    return NULL;
}

static void start_workers(void) {
    for (int i = 0; i < options.threads; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            perror("downloader: cannot start a thread");
            exit(2);
        }
}

static void wait_for_workers(void) {
    for (int i = 0; i < options.threads; i++)
        pthread_join(workers[i].thread, NULL);
}

/* ---------------------------------------------------------------------------------------------- resuming */

/* What a record on disk begins with; how much each worker had follows. */
struct record {
    uint32_t magic;
    uint32_t workers;
    uint64_t size;
};

static bool fits(const struct record *record) {
    return record->magic == RECORD_MAGIC && record->workers == (uint32_t)options.threads && record->size == server.size;
}

/* What is there already, from the target as it was left. */
static void take_over(struct worker *worker, uint64_t done, FILE *file) {
    size_t size = worker->end - worker->from;
    fseek(file, (long)worker->from, SEEK_SET);
    if (done <= size && fread(target + worker->from, 1, (size_t)done, file) == done) {
        worker->done = (size_t)done;
        progress.bytes += worker->done;
    }
}

static void resume(void) {
    struct record record;
    uint64_t done;
    FILE *file = options.record != NULL ? fopen(options.record, "rb") : NULL;
    FILE *before = file != NULL ? fopen(options.target, "rb") : NULL;
    if (before != NULL && fread(&record, sizeof record, 1, file) == 1 && fits(&record))
        for (int i = 0; i < options.threads && fread(&done, sizeof done, 1, file) == 1; i++)
            take_over(&workers[i], done, before);
    if (before != NULL)
        fclose(before);
    if (file != NULL)
        fclose(file);
}

static bool save(const char *name, const void *data, size_t size) {
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return false;
    bool fine = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && fine;
}

static bool save_record(void) {
    FILE *file = fopen(options.record, "wb");
    if (file == NULL)
        return false;
    struct record record = {RECORD_MAGIC, (uint32_t)options.threads, server.size};
    bool fine = fwrite(&record, sizeof record, 1, file) == 1;
    for (int i = 0; i < options.threads; i++) {
        uint64_t done = workers[i].done;
        fine = fine && fwrite(&done, sizeof done, 1, file) == 1;
    }
    return fclose(file) == 0 && fine;
}

/* ---------------------------------------------------------------------------------------------- the whole */

/* What must be true in the end, whatever the workers did in which order. */
static void check_result(void) {
    for (int i = 0; i < options.threads; i++)
        assert(workers[i].from + workers[i].done == workers[i].end);
    assert(progress.bytes == server.size);
    assert(memcmp(target, server.data, server.size) == 0);
}

static int usage(void) {
    fprintf(stderr, "usage: downloader [-b BLOCK] [-r RECORD] THREADS SOURCE TARGET\n");
    return 2;
}

static bool read_options(int count, char **words) {
    int i = 1;
    for (; i + 1 < count && words[i][0] == '-'; i += 2) {
        if (strcmp(words[i], "-b") == 0)
            options.block = (size_t)atol(words[i + 1]);
        else if (strcmp(words[i], "-r") == 0)
            options.record = words[i + 1];
        else
            return false;
    }
    if (count - i != 3)
        return false;
    options.threads = atoi(words[i]);
    options.source = words[i + 1];
    options.target = words[i + 2];
    return options.threads >= 1 && options.threads <= MOST_THREADS && options.block >= 1;
}

int main(int count, char **words) {
    if (!read_options(count, words))
        return usage();
    if (!server_open(options.source)) {
        perror(options.source);
        return 2;
    }
    divide();
    resume();
    start_workers();
    wait_for_workers();
    check_result();
    if (!save(options.target, target, server.size) || (options.record != NULL && !save_record())) {
        perror(options.target);
        return 2;
    }
    free(server.data);
    free(target);
    return 0;
}
