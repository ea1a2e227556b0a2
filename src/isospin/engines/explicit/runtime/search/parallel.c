/* Who works on what: levels of the breadth-first search, threads, limits.

   Reference: level-synchronous parallel breadth-first search with a shared table (Laarman et al. 2010).
   Differs: the table grows: all workers meet at a safe point, the last one to arrive rebuilds it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster.h"
#include "search/modes.h"

struct shared shared;
struct frontier frontier;

enum { FIRST_LINES = 12, REST_BITS = 59 }; /* of the table, as powers of two; what a slot holds */

static bool finished;
static double begun, last_progress;

/* The first reason counts.  Also called by the handler of signals. */
void stop_because(const char *why)
{
    if (!atomic_exchange(&shared.stop, true)) {
        shared.why = why;
    }
}

/* ------------------------------------------------------------------------------------------- safe points */

static void rebuild(void)
{
    if (shared.count > shared.table.limit || shared.pause) {
        if (!shared.stop) {
            if (shared.inexact) {
                inexact_grow();
            } else {
                table_grow();
            }
        }
    }
    shared.pause = false;
    shared.waiting = 0;
    shared.generation++;
    pthread_cond_broadcast(&shared.changed);
}

void safe_point(struct worker *w)
{
    (void)w;
    pthread_mutex_lock(&shared.lock);
    if (shared.pause) {
        unsigned generation = shared.generation;
        if (++shared.waiting >= shared.active) { /* between levels nobody is active; a rank takes in states even then */
            rebuild();
        } else {
            while (generation == shared.generation) {
                pthread_cond_wait(&shared.changed, &shared.lock);
            }
        }
    }
    pthread_mutex_unlock(&shared.lock);
}

static void leave(void)
{
    pthread_mutex_lock(&shared.lock);
    shared.active--;
    if (shared.pause && shared.active && shared.waiting == shared.active) {
        rebuild();
    }
    pthread_cond_broadcast(&shared.changed);
    pthread_mutex_unlock(&shared.lock);
}

/* ------------------------------------------------------------------------------------------- limits */

static uint64_t stored_states(void)
{
    uint64_t states = 0;
    for (int i = 0; i < shared.threads; i++) {
        states += PEEK(shared.workers[i].states);
    }
    return states;
}

/* Those that concern time, and signs of life. */
void watch_limits(struct worker *w)
{
    double t = now();
    (void)w;
    if (t - begun > shared.max_time) {
        stop_because(END_TIME);
    }
    if (t - last_progress > shared.progress_interval) {
        last_progress = t;
        report_progress();
    }
}

void check_limits(struct worker *w)
{
    if (!CLUSTER && stored_states() >= shared.max_states) {
        stop_because(END_STATES);
    }
    if (CLUSTER) {
        cluster_watch(w);
    } else if (w->number == 0) {
        watch_limits(w);
    }
}

/* ------------------------------------------------------------------------------------------- workers */

void worker_init(struct worker *w, int number, enum mode mode)
{
    memset(w, 0, sizeof *w);
    w->number = number;
    w->mode = mode;
    w->is_only_thread = shared.threads == 1;
    w->link = NOBODY;
    w->wanted = UINT32_MAX;
    w->node = NOBODY;
    const size_t batch = ROOM * shared.model->pending_size;
    w->batch = w->next = take_memory(2 * batch);
    w->full = w->waiting = (struct pending *)((char *)w->batch + batch);
    w->got_state = take_memory(shared.model->key_words * sizeof(word));
    if (w->batch == NULL || w->got_state == NULL) {
        stop_because(END_MEMORY);
    }
}

static bool setup(enum mode mode)
{
    begun = last_progress = now();
    checkpoint_begin();
    shared.workers = calloc((size_t)shared.threads, sizeof *shared.workers);
    if (shared.workers == NULL) {
        return false;
    }
    for (int i = 0; i < shared.threads; i++) {
        worker_init(&shared.workers[i], i, mode);
    }
    const unsigned first = FIRST_LINES - cluster_share();
    squeeze_all(&shared.table.squeeze);
    shared.table.shared = shared.threads > 1;
    if (checkpoint.resume && !CLUSTER) {
        return !shared.stop; /* the table comes from the file */
    }
    if (shared.inexact ? !inexact_open() : !table_open(first, shared.model->key_bits <= first + REST_BITS)) {
        stop_because(END_MEMORY);
        return false;
    }
    return !shared.stop;
}

static bool insert_all_initial(struct worker *w)
{
    for (uint64_t i = 0; i < shared.model->n_initial && !shared.stop; i++) {
        shared.model->insert_initial(w, i);
        if (shared.pause) {
            safe_point(w);
        }
    }
    return !shared.stop;
}

void dfs_run(void)
{
    shared.threads = shared.active = 1;
    if (setup(MODE_DFS)) {
        insert_all_initial(&shared.workers[0]);
        shared.model->dfs(&shared.workers[0]);
        shared.depth = shared.workers[0].deepest;
    }
}

static void *cycle_helper(void *argument)
{
    shared.model->cycles(argument);
    leave();
    return NULL;
}

/* The first thread is done, and looks at the time until the others are. */
static void watch_helpers(void)
{
    pthread_mutex_lock(&shared.lock);
    while (shared.active) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 10000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&shared.changed, &shared.lock, &until);
        pthread_mutex_unlock(&shared.lock);
        watch_limits(&shared.workers[0]);
        pthread_mutex_lock(&shared.lock);
    }
    pthread_mutex_unlock(&shared.lock);
}

static void cycles_together(void)
{
    pthread_t threads[shared.threads];
    int started = 1;
    chunks_open(); /* by one thread */
    while (started < shared.threads &&
           pthread_create(&threads[started], NULL, cycle_helper, &shared.workers[started]) == 0) {
        started++;
    }
    if (started < shared.threads) { /* nobody waits for the others */
        for (int missing = started; missing < shared.threads; missing++) {
            leave();
        }
        POST(shared.threads, started);
    }
    (void)cycle_helper(&shared.workers[0]);
    watch_helpers();
    for (int i = 1; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

void cycles_run(void)
{
    shared.threads = shared.active = shared.model->together ? shared.threads : 1;
    if (!setup(MODE_CYCLES)) {
        return;
    }
    if (shared.threads > 1) {
        cycles_together();
    } else {
        shared.model->cycles(&shared.workers[0]);
    }
    shared.queue = 0;
}

/* ------------------------------------------------------------------------------------------- levels */

void add_range(struct range r)
{
    struct frontier *f = &frontier;
    if (f->length == f->room) {
        f->room = f->room ? 2 * f->room : 64;
        f->level = realloc(f->level, f->room * sizeof *f->level);
        if (f->level == NULL) {
            out_of_memory();
        }
    }
    f->level[f->length++] = r;
}

/* What the workers added since the last level; `done[c]` is how much of chunk c was in earlier levels. */
static void next_level(uint32_t first_chunk, uint32_t *done)
{
    const uint32_t piece = shared.threads > 1 ? 256 : shared.model->chunk_size;
    frontier.length = frontier.next = 0;
    shared.queue = 0;
    for (uint32_t number = first_chunk; number < shared.n_chunks; number++) {
        struct chunk *c = shared.chunks[number];
        while (done[number - first_chunk] < c->used) {
            uint32_t begin = done[number - first_chunk];
            uint32_t end = c->used - begin > piece ? begin + piece : c->used;
            add_range((struct range){number, begin, end});
            done[number - first_chunk] = end;
            shared.queue += end - begin;
        }
    }
}

static void work_and_save(struct worker *w)
{
    while (frontier.next < frontier.length && !shared.stop) {
        uint32_t i = frontier.next;
        uint64_t transitions = w->transitions;
        checkpoint_when_due(i);
        w->in_index = frontier.level[i].begin;
        shared.model->bfs(w, frontier.level[i]);
        if (shared.stop && checkpoint_possible()) {
            checkpoint_cut(w, i, transitions);
        } else {
            frontier.next = i + 1;
        }
    }
}

static void work(struct worker *w)
{
    if (checkpoint.path && !CLUSTER) {
        work_and_save(w);
        leave();
        return;
    }
    for (;;) {
        uint32_t i = __atomic_fetch_add(&frontier.next, 1, __ATOMIC_RELAXED);
        if (i >= frontier.length || shared.stop) {
            break;
        }
        shared.model->bfs(w, frontier.level[i]);
    }
    cluster_end_level(w);
    leave();
}

/* The helpers wait for a level, work on it, and say so by leaving. */
static void *helper(void *argument)
{
    struct worker *w = argument;
    unsigned seen = 1; /* level 0 has no successors to look for yet */
    for (;;) {
        pthread_mutex_lock(&shared.lock);
        while (!finished && shared.depth + 1 == seen) {
            pthread_cond_wait(&shared.changed, &shared.lock);
        }
        seen = shared.depth + 1;
        bool stop = finished;
        pthread_mutex_unlock(&shared.lock);
        if (stop) {
            return NULL;
        }
        work(w);
    }
}

static void forget_consumed(void)
{
    for (uint32_t i = 0; i < frontier.length; i++) {
        struct chunk *c = shared.chunks[frontier.level[i].chunk];
        c->consumed += frontier.level[i].end - frontier.level[i].begin;
        bool needed = !shared.table.quotient && !shared.inexact;
        if (!needed && c->consumed == shared.model->chunk_size && c->states) {
            chunk_forget(c);
        }
        if (c->on_disk && c->consumed == shared.model->chunk_size) {
            spill_drop(frontier.level[i].chunk);
        }
    }
}

static void wait_for_helpers(void)
{
    pthread_mutex_lock(&shared.lock);
    while (shared.active) {
        pthread_cond_wait(&shared.changed, &shared.lock);
    }
    pthread_mutex_unlock(&shared.lock);
}

/* The numbers of the chunks that may still grow or hold states of the next level; older ones are settled. */
static uint32_t settle(uint32_t first, uint32_t **done, uint32_t *room)
{
    uint32_t settled = first;
    while (settled < shared.n_chunks && (*done)[settled - first] == shared.model->chunk_size) {
        settled++;
    }
    memmove(*done, *done + (settled - first), (*room - (settled - first)) * sizeof **done);
    memset(*done + (*room - (settled - first)), 0, (settled - first) * sizeof **done);
    return settled;
}

static uint32_t *more_room(uint32_t *done, uint32_t *room, uint32_t needed)
{
    if (needed > *room) {
        uint32_t larger = 2 * needed + 64;
        done = realloc(done, larger * sizeof *done);
        if (done == NULL) {
            out_of_memory();
        }
        memset(done + *room, 0, (larger - *room) * sizeof *done);
        *room = larger;
    }
    return done;
}

static bool begin_level(void)
{
    struct frontier *f = &frontier;
    f->done = more_room(f->done, &f->done_room, shared.n_chunks - f->first);
    next_level(f->first, f->done);
    f->first = settle(f->first, &f->done, &f->done_room);
    struct agreement all = cluster_agree(f->length); /* once: a signal that comes later finds the level begun */
    if (all.length && !all.stop) {
        cluster_save_level(all.save);
    }
    if (all.length && !all.stop && shared.depth >= shared.max_depth) {
        stop_because(END_DEPTH);
        all.stop = true;
    }
    if (all.stop && all.may_go_on) {
        cluster_save_stopped();
    }
    if (all.stop && checkpoint_possible()) {
        checkpoint_write(0, shared.depth + (all.length != 0));
    }
    return all.length && !all.stop;
}

static void work_on_level(bool new_one)
{
    pthread_mutex_lock(&shared.lock);
    shared.active = shared.threads;
    shared.depth += new_one;
    pthread_cond_broadcast(&shared.changed);
    pthread_mutex_unlock(&shared.lock);
    work(&shared.workers[0]);
    wait_for_helpers();
}

/* SOUND: a search that continues begins in the middle of a level, as it was saved. */
static void all_levels(bool resumed)
{
    if (resumed && shared.depth > shared.max_depth) {
        shared.depth = shared.max_depth;
        stop_because(END_DEPTH);
        return;
    }
    while (resumed || begin_level()) {
        work_on_level(!resumed);
        resumed = false;
        if (shared.stop && !CLUSTER) {
            if (checkpoint_possible()) {
                checkpoint_write(frontier.next, shared.depth);
            }
            return;
        }
        forget_consumed();
    }
}

/* The initial states, or those of a search that was saved; false if there is nothing to go on with. */
static bool begin_search(void)
{
    if (CLUSTER && checkpoint.resume) {
        cluster_load();
    } else if (checkpoint.resume) {
        return checkpoint_read();
    } else if (!insert_all_initial(&shared.workers[0])) {
        return CLUSTER; /* others wait for this rank at the end of the level */
    }
    return true;
}

void bfs_run(void)
{
    shared.active = 1;
    if (!cluster_open(setup(MODE_BFS))) {
        return;
    }
    pthread_t *threads = calloc((size_t)shared.threads, sizeof *threads);
    if (!begin_search()) {
        free(threads);
        return;
    }
    int started = 1;
    while (threads != NULL && started < shared.threads &&
           pthread_create(&threads[started], NULL, helper, &shared.workers[started]) == 0) {
        started++;
    }
    shared.threads = threads == NULL ? 1 : started;
    all_levels(checkpoint.resume && !CLUSTER);
    pthread_mutex_lock(&shared.lock);
    finished = true;
    pthread_cond_broadcast(&shared.changed);
    pthread_mutex_unlock(&shared.lock);
    for (int i = 1; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    if (shared.depth && !shared.stop) {
        shared.depth--; /* the last level had no successors that were new */
    }
}
