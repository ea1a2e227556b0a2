/* expect: holds */
/* A segmented downloader: several threads fetch the segments of one file, and an interrupted download can be resumed.
 *
 *     downloader [-s SEGMENTS] [-b BLOCK] [-r RECORD] THREADS SOURCE TARGET
 *
 *     -s SEGMENTS   into how many pieces the source is divided (default 3)
 *     -b BLOCK      how many bytes are fetched at a time (default 4096)
 *     -r RECORD     where the state of an interrupted download is kept: finished segments are not fetched again
 *
 * The source is a local file that stands for the server.  A worker claims the next segment that nobody has, fetches it block by
 * block into its place, and enters it into the progress.  Nobody is told who he is: any worker fetches any segment.
 *
 *     isospin check examples/c/downloader.c -- 4 source.bin target.bin
 *
 * With -DBUGGY_RACE the progress is changed without its lock, with -DBUGGY_CLAIM looking for a segment and claiming it are two
 * steps, with -DBUGGY_DEADLOCK the progress line takes two locks in the other order.
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
    MOST_SEGMENTS = 32,
    RECORD_MAGIC = 0x69736f31,
};

/* ---------------------------------------------------------------------------------------------- options */

struct options {
    int threads;
    int segments;
    size_t block;
    const char *record; /* NULL: none */
    const char *source, *target;
};

static struct options options = {.threads = 2, .segments = 3, .block = 4096};

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

/* A part of the file.  The claims are protected by the lock of the plan; who claimed it has the rest for himself. */
struct segment {
    size_t from, size, done;
    int claims; /* how often it was claimed: once, if all is well */
    bool finished;
    uint32_t sum;
};

struct plan {
    pthread_mutex_t lock;
    struct segment segments[MOST_SEGMENTS];
    int count;
    unsigned char *target;
};

static struct plan plan = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void divide(void) {
    size_t each = (server.size + (size_t)options.segments - 1) / (size_t)options.segments;
    plan.count = options.segments;
    plan.target = calloc(server.size + 1, 1);
    for (int i = 0; i < plan.count; i++) {
        size_t from = each * (size_t)i;
        struct segment *segment = &plan.segments[i];
        segment->from = from < server.size ? from : server.size;
        segment->size = server.size - segment->from < each ? server.size - segment->from : each;
    }
}

static struct segment *first_waiting(void) {
    for (int i = 0; i < plan.count; i++)
        if (plan.segments[i].claims == 0)
            return &plan.segments[i];
    return NULL;
}

#ifdef BUGGY_CLAIM
static struct segment *claim(void) {
    pthread_mutex_lock(&plan.lock);
    struct segment *segment = first_waiting();
    pthread_mutex_unlock(&plan.lock);
    if (segment == NULL)
        return NULL;
    pthread_mutex_lock(&plan.lock);
    segment->claims++;
    assert(segment->claims == 1);
    pthread_mutex_unlock(&plan.lock);
    return segment;
}
#else
static struct segment *claim(void) {
    pthread_mutex_lock(&plan.lock);
    struct segment *segment = first_waiting();
    if (segment != NULL)
        segment->claims++;
    pthread_mutex_unlock(&plan.lock);
    return segment;
}
#endif

/* ---------------------------------------------------------------------------------------------- progress */

struct progress {
    pthread_mutex_t lock;
    size_t bytes;
    int finished;
    uint32_t sum; /* of all segments, in any order */
};

static struct progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(const struct segment *segment) {
    progress.bytes += segment->done;
    progress.finished++;
    progress.sum += segment->sum;
}

static void finish_segment(struct segment *segment) {
#ifndef BUGGY_RACE
    pthread_mutex_lock(&progress.lock);
#endif
    enter(segment);
#ifdef BUGGY_DEADLOCK
    /* what is still to be done: for the line of progress */
    pthread_mutex_lock(&plan.lock);
    if (first_waiting() == NULL)
        printf("%zu bytes, nothing left to claim\n", progress.bytes);
    pthread_mutex_unlock(&plan.lock);
#endif
#ifndef BUGGY_RACE
    pthread_mutex_unlock(&progress.lock);
#endif
}

#ifdef BUGGY_DEADLOCK
/* Is all done?  Keeps the plan while it looks at the progress. */
static bool all_done(void) {
    pthread_mutex_lock(&plan.lock);
    pthread_mutex_lock(&progress.lock);
    bool done = progress.finished == plan.count;
    pthread_mutex_unlock(&progress.lock);
    pthread_mutex_unlock(&plan.lock);
    return done;
}
#else
static bool all_done(void) {
    return false; /* nothing left to claim says it as well */
}
#endif

/* ---------------------------------------------------------------------------------------------- workers */

/* Fletcher's sum: cheap, and sees exchanged bytes. */
static uint32_t checksum(const unsigned char *data, size_t size) {
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < size; i++) {
        low = (low + data[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

static void fetch(struct segment *segment) {
    while (segment->done < segment->size) {
        size_t left = segment->size - segment->done;
        size_t at = segment->from + segment->done;
        size_t got = server_fetch(plan.target + at, at, left < options.block ? left : options.block);
        if (got == 0)
            break;
        segment->done += got;
    }
    segment->sum = checksum(plan.target + segment->from, segment->done);
    segment->finished = true;
}

static void *work(void *unused) {
    struct segment *segment;
    while (!all_done() && (segment = claim()) != NULL) {
        fetch(segment);
        finish_segment(segment);
    }
    return unused;
}

static void run_workers(void) {
    pthread_t workers[MOST_THREADS];
    for (int i = 0; i < options.threads; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0) {
            perror("downloader: cannot start a thread");
            exit(2);
        }
    for (int i = 0; i < options.threads; i++)
        pthread_join(workers[i], NULL);
}

/* ---------------------------------------------------------------------------------------------- resuming */

/* What a record on disk begins with; the finished segments follow as bytes. */
struct record {
    uint32_t magic;
    uint32_t segments;
    uint64_t size;
};

static bool fits(const struct record *record) {
    return record->magic == RECORD_MAGIC && record->segments == (uint32_t)plan.count && record->size == server.size;
}

static void take_over(int which, FILE *target) {
    struct segment *segment = &plan.segments[which];
    fseek(target, (long)segment->from, SEEK_SET);
    segment->done = fread(plan.target + segment->from, 1, segment->size, target);
    if (segment->done != segment->size) {
        segment->done = 0; /* not all there: fetch it again */
        return;
    }
    segment->sum = checksum(plan.target + segment->from, segment->size);
    segment->finished = true;
    segment->claims = 1;
    enter(segment);
}

static void resume(void) {
    struct record record;
    FILE *file = options.record != NULL ? fopen(options.record, "rb") : NULL;
    FILE *target = file != NULL ? fopen(options.target, "rb") : NULL;
    if (target != NULL && fread(&record, sizeof record, 1, file) == 1 && fits(&record))
        for (int i = 0; i < plan.count; i++)
            if (fgetc(file) == 1)
                take_over(i, target);
    if (target != NULL)
        fclose(target);
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
    unsigned char bytes[sizeof(struct record) + MOST_SEGMENTS];
    struct record record = {RECORD_MAGIC, (uint32_t)plan.count, server.size};
    memcpy(bytes, &record, sizeof record);
    for (int i = 0; i < plan.count; i++)
        bytes[sizeof record + (size_t)i] = plan.segments[i].finished;
    return save(options.record, bytes, sizeof record + (size_t)plan.count);
}

/* ---------------------------------------------------------------------------------------------- the whole */

/* What must be true in the end, whatever the workers did in which order. */
static void check_result(void) {
    uint32_t sum = 0;
    for (int i = 0; i < plan.count; i++) {
        assert(plan.segments[i].finished);
        assert(plan.segments[i].claims == 1);
        sum += plan.segments[i].sum;
    }
    assert(progress.finished == plan.count);
    assert(progress.bytes == server.size);
    assert(progress.sum == sum);
    assert(memcmp(plan.target, server.data, server.size) == 0);
}

static int usage(void) {
    fprintf(stderr, "usage: downloader [-s SEGMENTS] [-b BLOCK] [-r RECORD] THREADS SOURCE TARGET\n");
    return 2;
}

static bool read_options(int count, char **words) {
    int i = 1;
    for (; i + 1 < count && words[i][0] == '-'; i += 2) {
        if (strcmp(words[i], "-s") == 0)
            options.segments = atoi(words[i + 1]);
        else if (strcmp(words[i], "-b") == 0)
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
    return options.threads >= 1 && options.threads <= MOST_THREADS && options.segments >= 1 &&
           options.segments <= MOST_SEGMENTS && options.block >= 1;
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
    run_workers();
    check_result();
    if (!save(options.target, plan.target, server.size) || (options.record != NULL && !save_record())) {
        perror(options.target);
        return 2;
    }
    printf("%zu bytes in %d segments by %d threads\n", progress.bytes, plan.count, options.threads);
    free(server.data);
    free(plan.target);
    return 0;
}
