/* nauty on the graph of a heap; apart from the rest, because its headers define short names. */
#include <nauty/nausparse.h>
#include <nauty/traces.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(sparsegraph *g, int n, int n_edges, const int *from, const int *to, int both) {
    SG_ALLOC(*g, n, 2 * n_edges + 1, "graph");
    g->nv = n;
    for (int v = 0; v < n; v++) {
        g->d[v] = 0;
    }
    for (int i = 0; i < n_edges; i++) {
        g->d[from[i]]++;
        g->d[to[i]] += both;
    }
    size_t at = 0;
    for (int v = 0; v < n; v++) {
        g->v[v] = at;
        at += (size_t)g->d[v];
        g->d[v] = 0;
    }
    g->nde = at;
    for (int i = 0; i < n_edges; i++) {
        g->e[g->v[from[i]] + (size_t)g->d[from[i]]++] = to[i];
        if (both) {
            g->e[g->v[to[i]] + (size_t)g->d[to[i]]++] = from[i];
        }
    }
}

/* CPU seconds (the graph is there already) for `rounds` canonical labellings: method 0 is sparse nauty on a digraph, 1 sparse nauty and 2 Traces on a graph. */
double nauty_time(int method, int n, int n_edges, const int *from, const int *to, const int *lab0, const int *ptn0, int rounds) {
    static DEFAULTOPTIONS_SPARSEDIGRAPH(directed);
    static DEFAULTOPTIONS_SPARSEGRAPH(undirected);
    static DEFAULTOPTIONS_TRACES(traced);
    DYNALLSTAT(int, lab, lab_size);
    DYNALLSTAT(int, ptn, ptn_size);
    DYNALLSTAT(int, orbits, orbits_size);
    DYNALLOC1(int, lab, lab_size, n, "lab");
    DYNALLOC1(int, ptn, ptn_size, n, "ptn");
    DYNALLOC1(int, orbits, orbits_size, n, "orbits");
    static sparsegraph g, canonical;
    static int ready;
    if (!ready) {
        SG_INIT(g);
        SG_INIT(canonical);
        ready = 1;
    }
    directed.getcanon = undirected.getcanon = traced.getcanon = TRUE;
    directed.defaultptn = undirected.defaultptn = traced.defaultptn = FALSE;
    fill(&g, n, n_edges, from, to, method != 0);
    const double begin = seconds();
    for (int i = 0; i < rounds; i++) {
        for (int v = 0; v < n; v++) {
            lab[v] = lab0[v];
            ptn[v] = ptn0[v];
        }
        if (method == 2) {
            TracesStats stats;
            Traces(&g, lab, ptn, orbits, &traced, &stats, &canonical);
        } else {
            statsblk stats;
            sparsenauty(&g, lab, ptn, orbits, method ? &undirected : &directed, &stats, &canonical);
        }
    }
    return seconds() - begin;
}
