/* expect: holds */
/* A parallel file scanner: which files contain a pattern, and how often.
 *
 *     scanner [-i] [-w] [-m MOST] THREADS PATTERN FILE...
 *
 *     -i         upper and lower case are the same
 *     -w         only whole words
 *     -m MOST    stop looking at a file after so many matches
 *
 * The main thread starts the workers, and beside them loads one file after the other and puts a job for each into a queue that
 * has room for a few.  The workers take jobs as they come, until the queue is closed and empty, search in their own time, and add
 * what they found to common totals.  Nobody is told who he is: any worker does any job.
 *
 *     isospin check examples/c/scanner.c -- 2 needle a.txt b.txt
 *
 * With -DBUGGY_RACE the totals are changed without their lock, with -DBUGGY_DEADLOCK two locks are taken in two orders, with
 * -DBUGGY_CLOSE only one of those who wait is told that the queue was closed.
 */
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_THREADS = 16,
    MOST_JOBS = 64,
    ROOM = 4, /* jobs that wait in the queue */
    LONGEST_PATTERN = 64,
    BYTES = 256,
    LOOKED_AT = 512, /* bytes at the start of a file that decide whether it is text */
};

/* ---------------------------------------------------------------------------------------------- options and pattern */

struct options {
    int threads;
    bool any_case;
    bool whole_words;
    long most_matches; /* in each file; 0: all */
};

/* A pattern, ready for Horspool's search: how far the window may move if its last byte is this one. */
struct pattern {
    unsigned char text[LONGEST_PATTERN];
    size_t length;
    size_t skip[BYTES];
};

static struct options options = {.threads = 2};
static struct pattern pattern;

static unsigned char folded(unsigned char c) {
    return options.any_case ? (unsigned char)tolower(c) : c;
}

static bool prepare(const char *text) {
    pattern.length = strlen(text);
    if (pattern.length == 0 || pattern.length > LONGEST_PATTERN)
        return false;
    for (size_t i = 0; i < pattern.length; i++)
        pattern.text[i] = folded((unsigned char)text[i]);
    for (int c = 0; c < BYTES; c++)
        pattern.skip[c] = pattern.length;
    for (size_t i = 0; i + 1 < pattern.length; i++)
        pattern.skip[pattern.text[i]] = pattern.length - 1 - i;
    return true;
}

/* ---------------------------------------------------------------------------------------------- jobs */

/* A file to be searched.  Who has taken it from the queue is the only one who touches it. */
struct job {
    const char *name;
    unsigned char *data;
    size_t size;
    long matches;
    long first_line; /* of the first match; 0: none */
    bool binary;
    bool finished;
};

static struct job jobs[MOST_JOBS];

static bool is_word(unsigned char c) {
    return isalnum(c) || c == '_';
}

static bool stands_alone(const struct job *job, size_t at) {
    size_t end = at + pattern.length;
    if (at > 0 && is_word(job->data[at - 1]))
        return false;
    return end >= job->size || !is_word(job->data[end]);
}

static bool same_text(const unsigned char *window) {
    for (size_t i = 0; i < pattern.length; i++)
        if (folded(window[i]) != pattern.text[i])
            return false;
    return true;
}

static bool matches_at(const struct job *job, size_t at) {
    return same_text(job->data + at) && (!options.whole_words || stands_alone(job, at));
}

static long line_of(const struct job *job, size_t at) {
    long line = 1;
    for (size_t i = 0; i < at; i++)
        line += job->data[i] == '\n';
    return line;
}

static bool looks_binary(const struct job *job) {
    size_t end = job->size < LOOKED_AT ? job->size : LOOKED_AT;
    for (size_t i = 0; i < end; i++)
        if (job->data[i] == 0)
            return true;
    return false;
}

static bool enough(const struct job *job) {
    return options.most_matches != 0 && job->matches >= options.most_matches;
}

static void search(struct job *job) {
    size_t at = 0;
    job->binary = looks_binary(job);
    while (!job->binary && at + pattern.length <= job->size && !enough(job)) {
        if (matches_at(job, at)) {
            if (job->matches == 0)
                job->first_line = line_of(job, at);
            job->matches++;
        }
        at += pattern.skip[folded(job->data[at + pattern.length - 1])];
    }
    job->finished = true;
}

/* ---------------------------------------------------------------------------------------------- the queue */

/* A ring of jobs.  Who finds it full waits, and who finds it empty, unless it is closed: then nothing comes any more. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    struct job *ring[ROOM];
    int first, count;
    bool closed;
};

static struct queue queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .drained = PTHREAD_COND_INITIALIZER,
};

static void queue_put(struct job *job) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == ROOM)
        pthread_cond_wait(&queue.drained, &queue.lock);
    queue.ring[(queue.first + queue.count++) % ROOM] = job;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static void queue_close(void) {
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
#ifdef BUGGY_CLOSE
    pthread_cond_signal(&queue.filled);
#else
    pthread_cond_broadcast(&queue.filled);
#endif
    pthread_mutex_unlock(&queue.lock);
}

static struct job *pop(void) {
    struct job *job = queue.ring[queue.first];
    queue.first = (queue.first + 1) % ROOM;
    if (queue.count-- == ROOM)
        pthread_cond_signal(&queue.drained);
    return job;
}

static struct job *queue_take(void) {
    struct job *job = NULL;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.filled, &queue.lock);
    if (queue.count > 0)
        job = pop();
    pthread_mutex_unlock(&queue.lock);
    return job;
}

/* ---------------------------------------------------------------------------------------------- totals */

struct totals {
    pthread_mutex_t lock;
    long files, matching, matches, bytes;
};

static struct totals totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_to_totals(const struct job *job) {
    totals.files++;
    totals.matching += job->matches > 0;
    totals.matches += job->matches;
    totals.bytes += (long)job->size;
}

static void report(const struct job *job) {
#ifndef BUGGY_RACE
    pthread_mutex_lock(&totals.lock);
#endif
    add_to_totals(job);
#ifdef BUGGY_DEADLOCK
    /* how much is left: for the line of progress */
    pthread_mutex_lock(&queue.lock);
    bool last = queue.count == 0;
    pthread_mutex_unlock(&queue.lock);
    if (last)
        printf("%ld files so far\n", totals.files);
#endif
#ifndef BUGGY_RACE
    pthread_mutex_unlock(&totals.lock);
#endif
}

#ifdef BUGGY_DEADLOCK
/* Whether to go on: looks at the totals while it keeps the queue. */
static bool stop_early(void) {
    pthread_mutex_lock(&queue.lock);
    pthread_mutex_lock(&totals.lock);
    bool stop = options.most_matches != 0 && totals.matches > 1000 * options.most_matches && queue.closed;
    pthread_mutex_unlock(&totals.lock);
    pthread_mutex_unlock(&queue.lock);
    return stop;
}
#else
static bool stop_early(void) {
    return false;
}
#endif

/* ---------------------------------------------------------------------------------------------- workers */

static void *work(void *unused) {
    struct job *job;
    while (!stop_early() && (job = queue_take()) != NULL) {
        search(job);
        report(job);
    }
    return unused;
}

static pthread_t workers[MOST_THREADS];

static void start_workers(void) {
    for (int i = 0; i < options.threads; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0) {
            perror("scanner: cannot start a thread");
            exit(2);
        }
}

static void wait_for_workers(void) {
    for (int i = 0; i < options.threads; i++)
        pthread_join(workers[i], NULL);
}

/* ---------------------------------------------------------------------------------------------- files */

static bool load(struct job *job, const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return false;
    size_t room = 1024;
    job->name = name;
    job->data = malloc(room);
    for (;;) {
        size_t got = fread(job->data + job->size, 1, room - job->size, file);
        job->size += got;
        if (got == 0)
            break;
        if (job->size == room)
            job->data = realloc(job->data, room *= 2);
    }
    bool fine = ferror(file) == 0;
    fclose(file);
    return fine;
}

/* Beside the workers: what is loaded is theirs to search. */
static int load_all(char **names, int count) {
    int loaded = 0;
    for (int i = 0; i < count && loaded < MOST_JOBS; i++) {
        if (load(&jobs[loaded], names[i]))
            queue_put(&jobs[loaded++]);
        else
            perror(names[i]);
    }
    queue_close();
    return loaded;
}

/* ---------------------------------------------------------------------------------------------- output */

static void print_job(const struct job *job) {
    if (job->binary)
        printf("%s: binary, not searched\n", job->name);
    else if (job->matches > 0)
        printf("%s: %ld, first in line %ld\n", job->name, job->matches, job->first_line);
}

/* What must be true in the end, whatever the workers did in which order. */
static void check_totals(int count) {
    long matches = 0, matching = 0;
    for (int i = 0; i < count; i++) {
        assert(jobs[i].finished);
        matches += jobs[i].matches;
        matching += jobs[i].matches > 0;
    }
    assert(totals.files == count);
    assert(totals.matches == matches);
    assert(totals.matching == matching);
}

static void finish(int count) {
    for (int i = 0; i < count; i++) {
        print_job(&jobs[i]);
        free(jobs[i].data);
    }
    printf("%ld of %ld files, %ld matches, %ld bytes\n", totals.matching, totals.files, totals.matches, totals.bytes);
}

static int usage(void) {
    fprintf(stderr, "usage: scanner [-i] [-w] [-m MOST] THREADS PATTERN FILE...\n");
    return 2;
}

/* The number of words that were options, or -1. */
static int read_options(int count, char **words) {
    int i = 1;
    for (; i < count && words[i][0] == '-'; i++) {
        if (strcmp(words[i], "-i") == 0)
            options.any_case = true;
        else if (strcmp(words[i], "-w") == 0)
            options.whole_words = true;
        else if (strcmp(words[i], "-m") == 0 && i + 1 < count)
            options.most_matches = atol(words[++i]);
        else
            return -1;
    }
    return i;
}

int main(int count, char **words) {
    int next = read_options(count, words);
    if (next < 0 || count - next < 3)
        return usage();
    options.threads = atoi(words[next]);
    if (options.threads < 1 || options.threads > MOST_THREADS || !prepare(words[next + 1]))
        return usage();
    start_workers();
    int loaded = load_all(words + next + 2, count - next - 2);
    wait_for_workers();
    check_totals(loaded);
    finish(loaded);
    return totals.matching > 0 ? 0 : 1;
}
