/* The checker as a program: name=value arguments in, JSON lines out. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cluster/cluster.h"
#include "search/modes.h"

static void interrupted(int signal_number)
{
    (void)signal_number;
    stop_because(END_INTERRUPTED);
}

static bool die_with_parent(long parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    return parent == 0 || getppid() == parent;
}

static bool dfs_wanted;
static long parent;

/* Which of the modes in modes.h; false if it is none of them. */
static bool mode_option(const char *name, const char *value)
{
    if (!strcmp(name, "bitstate")) {
        shared.inexact = BITSTATE;
        shared.bitstate_bytes = strtoull(value, NULL, 10);
    } else if (!strcmp(name, "fingerprint")) {
        shared.inexact = atoi(value) ? FINGERPRINT : EXACT;
    } else if (!strcmp(name, "checkpoint")) {
        checkpoint.path = value;
    } else if (!strcmp(name, "checkpoint_interval")) {
        checkpoint.interval = atof(value);
    } else if (!strcmp(name, "head")) {
        checkpoint.head = value;
    } else if (!strcmp(name, "resume")) {
        checkpoint.resume = value;
    } else if (!strcmp(name, "resume_head")) {
        checkpoint.resume_head = value;
    } else {
        return false;
    }
    return true;
}

static bool option(const char *name, const char *value)
{
    if (!strcmp(name, "search")) {
        dfs_wanted = !strcmp(value, "dfs");
    } else if (!strcmp(name, "threads")) {
        shared.threads = atoi(value);
    } else if (!strcmp(name, "all_errors")) {
        shared.all_errors = atoi(value);
    } else if (!strcmp(name, "deadlock")) {
        shared.deadlock = atoi(value);
    } else if (!strcmp(name, "max_states")) {
        shared.max_states = strtoull(value, NULL, 10);
    } else if (!strcmp(name, "max_memory")) {
        shared.max_memory = strtoull(value, NULL, 10);
    } else if (!strcmp(name, "max_depth")) {
        shared.max_depth = (uint32_t)strtoul(value, NULL, 10);
    } else if (!strcmp(name, "max_time")) {
        shared.max_time = atof(value);
    } else if (!strcmp(name, "progress")) {
        shared.progress_interval = atof(value);
    } else if (!strcmp(name, "seed")) {
        shared.seed = strtoull(value, NULL, 10);
    } else if (!strcmp(name, "parent")) {
        parent = atol(value);
#if CLUSTER
    } else if (!strcmp(name, "silence")) {
        cluster.silence = atof(value);
#endif
    } else {
        return mode_option(name, value);
    }
    return true;
}

static bool arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL) {
            return false;
        }
        *equals = 0;
        if (!option(argv[i], equals + 1)) {
            return false;
        }
    }
    bool saved = checkpoint.path || checkpoint.resume;
    return shared.threads > 0 && !(saved && (shared.inexact || dfs_wanted || shared.threads > 1));
}

int main(int argc, char **argv)
{
#if CLUSTER
    cluster_begin(&argc, &argv);
#endif
    shared.model = &isospin_model;
    shared.threads = 1;
    shared.deadlock = true;
    shared.max_states = shared.max_memory = UINT64_MAX;
    shared.max_depth = UINT32_MAX;
    shared.max_time = 1e30;
    shared.progress_interval = 0.5;
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.changed, NULL);
    if (!arguments(argc, argv)) {
        fprintf(stderr, "usage: name=value ...\n");
        return 2;
    }
    if (!die_with_parent(parent)) {
        return 1;
    }
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
    signal(SIGHUP, interrupted);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
    shared.reported = calloc(shared.model->n_sites + 1, 1);
    if (shared.reported == NULL) {
        return 1;
    }
    if (shared.model->cycles != NULL) {
        cycles_run();
    } else if (dfs_wanted) {
        dfs_run();
    } else {
        bfs_run();
    }
#if CLUSTER
    cluster_finish();
#else
    report_end();
#endif
    return 0;
}
