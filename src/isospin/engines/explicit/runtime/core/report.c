/* What the checker says: one JSON object per line on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "search/modes.h"

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if !CLUSTER
static void print_finding(struct worker *w, uint32_t site, const struct choice *last)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        out_of_memory();
    }
    fprintf(out, "{\"finding\":%u,", site);
    path_print(w, last, out);
    fprintf(out, "}\n");
    if (fclose(out)) {
        out_of_memory();
    }
    fwrite(text, 1, length, stdout);
    fflush(stdout);
    if (checkpoint.path) {
        checkpoint_finding(text, length);
    }
    free(text);
}
#endif

/* Each site is reported once.  A search for one violation ends with the first.  A search for cycles looks for nothing
 * else. */
void report_finding(struct worker *w, uint32_t site, const struct choice *last)
{
    if (w->mode == MODE_REPLAY || w->mode == MODE_CYCLES) {
        return;
    }
    pthread_mutex_lock(&shared.lock);
    if (!shared.reported[site] && (shared.all_errors || !shared.stop)) {
        shared.reported[site] = 1;
#if CLUSTER
        cluster_finding(w, site, last); /* the way there is known to others, too */
#else
        print_finding(w, site, last);
#endif
        if (!shared.all_errors) {
            stop_because(END_VIOLATION);
        }
    }
    pthread_mutex_unlock(&shared.lock);
}

/* A run that violates a claim: the numbers of its moves, and which of its states, counted from 1, is the first of the
   cycle (0: there is none). */
void report_run(const char *what, const uint32_t *orders, size_t count, uint64_t cycle)
{
    flockfile(stdout); /* another thread tells how far the search is */
    printf("{\"run\":\"%s\",", what);
    run_print(orders, count, cycle, stdout);
    printf("}\n");
    fflush(stdout);
    funlockfile(stdout);
    stop_because(END_VIOLATION);
}

/* The state layout is too small: kind of thing, which one, what it would have to hold. */
void report_overflow(struct worker *w, int kind, int where, int what)
{
    if (w->mode != MODE_REPLAY && !shared.stop) {
        shared.overflow_kind = kind;
        shared.overflow_where = where;
        shared.overflow_what = what;
        stop_because(END_OVERFLOW);
    }
    w->overflow = true;
    if (!w->fault) {
        w->fault = SITE_LAYOUT;
    }
}

/* What was folded says nothing, since pids are used again. */
void report_reuse(void)
{
    if (!shared.stop) {
        shared.overflow_kind = OVERFLOW_PIDS;
        stop_because(END_OVERFLOW);
    }
}

static void print_counts(void)
{
    uint64_t states = 0, transitions = 0, queue = PEEK(shared.queue), memory = PEEK(shared.memory);
    for (int i = 0; i < shared.threads && shared.workers; i++) {
        states += PEEK(shared.workers[i].states);
        transitions += PEEK(shared.workers[i].transitions);
    }
#if CLUSTER
    struct counts others = cluster_others();
    states += others.states;
    transitions += others.transitions;
    queue += others.queue;
    memory += others.memory;
#endif
    printf("\"states\":%llu,\"transitions\":%llu,\"depth\":%u,\"queue\":%llu,\"memory\":%llu",
           (unsigned long long)states, (unsigned long long)transitions, PEEK(shared.depth), (unsigned long long)queue,
           (unsigned long long)memory);
}

void report_progress(void)
{
    flockfile(stdout);
    printf("{\"progress\":1,");
    print_counts();
    printf("}\n");
    fflush(stdout);
    funlockfile(stdout);
}

static void print_orbits(void)
{
    unsigned __int128 orbits = 0;
    char digits[40];
    size_t at = sizeof digits;
    for (int i = 0; i < shared.threads && shared.workers; i++) {
        orbits += shared.workers[i].orbits;
    }
    digits[--at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(orbits % 10));
        orbits /= 10;
    } while (orbits);
    printf(",\"orbits\":%s", digits + at);
}

static void print_executed(void)
{
    bool first = true;
    printf(",\"executed\":[");
    for (unsigned i = 0; i < shared.model->n_actions; i++) {
        if (shared.model->executed[i]) {
            printf("%s%u", first ? "" : ",", i);
            first = false;
        }
    }
    putchar(']');
}

double cpu_time(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* In an MPI job the first process speaks for all. */
void report_warning(const char *text)
{
#if CLUSTER
    if (cluster.rank != 0) {
        return;
    }
#endif
    printf("{\"warning\":\"%s\"}\n", text);
    fflush(stdout);
}

void report_end(void)
{
#if CLUSTER
    const double cpu = cpu_time() - cluster.started + cluster_others().cpu; /* of the search alone */
#else
    const double cpu = cpu_time();
#endif
    printf("{\"end\":\"%s\",", shared.why ? shared.why : END_COMPLETE);
    print_counts();
    printf(",\"peak\":%llu,\"cpu\":%.6f,\"quotient\":%d,\"cut\":%u,\"overflow\":[%d,%d,%d]",
           (unsigned long long)shared.peak, cpu, shared.table.quotient, shared.cut, shared.overflow_kind,
           shared.overflow_where, shared.overflow_what);
    if (shared.inexact) {
        printf(",\"omission\":%.6g", omission_probability());
        print_sample();
    }
    if (shared.model->counts_orbits) {
        print_orbits();
    }
    print_executed();
    printf("}\n");
    fflush(stdout);
}

/* There is no memory for something that cannot be left out: what was found and counted is told, nothing is saved. */
void out_of_memory(void)
{
    flockfile(stdout);
    shared.why = END_MEMORY;
    report_end();
#if CLUSTER
    cluster_abort();
#endif
    _exit(0);
}
