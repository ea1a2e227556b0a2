/* Random heaps of HEAP_SLOTS objects and a few processes: how long folding takes, and how long nauty takes for the same.

   Compiled behind a generated model (see bench_canon.py): `typedef Node { byte key; Node *left, *right }`, a global pointer, and
   processes with two pointers each.  WITH_NAUTY: the graph of the same state goes to nauty. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PROCESSES = BENCH_PROCESSES, STATES = 64, ROUNDS = 2000, BRANCHES = 2 };

double nauty_time(int, int, int, const int *, const int *, const int *, const int *, int);

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

/* -------------------------------------------------------------------------------------------------- states */

static struct pointer_place room[MOST_ROOTS];
static const struct pointer_place *roots;
static unsigned n_roots; /* the global one, then two of each process */

static void put_object(word *s, unsigned slot, unsigned key) {
    put(s + CELL_WORD[slot], CELL_SHIFT[slot], ones(KIND_BITS), 1);
    put(s + CELL_WORD[slot] + KEY_AT, CELL_SHIFT[slot] + KEY_SHIFT, KEY_MASK, key);
}

/* All objects in one structure below the global pointer; the processes point anywhere into it. */
static void make_shared(word *s, const unsigned *slot) {
    for (unsigned i = 0; i < HEAP_SLOTS; i++) {
        put_object(s, slot[i], below(3));
        if (i) { /* below one that is there: a tree; some links go anywhere */
            const unsigned parent = slot[(i - 1) / 2];
            set_link_at(s, parent, &LINK[1][(i - 1) % 2], slot[i] + 1);
        }
    }
    for (unsigned i = HEAP_SLOTS / 2; i < HEAP_SLOTS; i++) {
        set_link_at(s, slot[i], &LINK[1][below(2)], slot[below(HEAP_SLOTS)] + 1);
    }
    set_pointer_at(s, roots, slot[0] + 1);
    for (unsigned i = 1; i < n_roots; i++) {
        set_pointer_at(s, roots + i, slot[below(HEAP_SLOTS)] + 1);
    }
}

/* A list for each process, with equal keys or random ones; nothing is below the global pointer. */
static void make_lists(word *s, const unsigned *slot, bool alike) {
    for (unsigned i = 0; i < HEAP_SLOTS / PROCESSES * PROCESSES; i++) {
        put_object(s, slot[i], alike ? 1 : below(3));
        if (i >= PROCESSES) {
            set_link_at(s, slot[i - PROCESSES], &LINK[1][0], slot[i] + 1);
        } else {
            set_pointer_at(s, roots + 1 + 2 * i, slot[i] + 1);
        }
    }
}

static void make_state(word *s, int kind) {
    unsigned slot[HEAP_SLOTS];
    for (unsigned i = 0; i < HEAP_SLOTS; i++) {
        const unsigned j = below(i + 1);
        slot[i] = slot[j];
        slot[j] = i;
    }
    memcpy(s, initial_states[0], KEY_WORDS * sizeof *s);
    if (kind == 0) {
        make_shared(s, slot);
    } else {
        make_lists(s, slot, kind == 2);
    }
}

/* -------------------------------------------------------------------------------------------------- the same as a graph */

#ifdef WITH_NAUTY
enum { NODES = 1 + PROCESSES + HEAP_SLOTS, PORTS = NODES * (1 + BRANCHES), MOST_EDGES = 4 * PORTS };

static int n_edges, from[MOST_EDGES], to[MOST_EDGES], colour[PORTS], lab[PORTS], ptn[PORTS];

static void edge(int a, int b) {
    from[n_edges] = a;
    to[n_edges++] = b;
}

/* Where field f of a node leads: the global pointer is node 0, then the processes, then the objects. */
static int target(const word *s, int node, int f) {
    unsigned value = 0;
    if (node == 0) {
        value = f ? 0 : pointer_at(s, roots);
    } else if (node <= PROCESSES) {
        value = pointer_at(s, roots + 1 + 2 * (node - 1) + f);
    } else if (tag_of(s, (unsigned)(node - 1 - PROCESSES))) {
        value = link_at(s, (unsigned)(node - 1 - PROCESSES), &LINK[1][f]);
    }
    return value ? (int)value + PROCESSES : -1;
}

static int kind_of(const word *s, int node) {
    const int slot = node - 1 - PROCESSES;
    if (slot < 0) {
        return node == 0 ? 0 : 1;
    }
    return tag_of(s, (unsigned)slot) ? 3 + (int)(s[CELL_WORD[slot] + KEY_AT] >> (CELL_SHIFT[slot] + KEY_SHIFT) & KEY_MASK) : 2;
}

static void sort_colours(int n) {
    int at = 0;
    for (int c = 0; at < n; c++) {
        for (int v = 0; v < n; v++) {
            if (colour[v] == c) {
                lab[at] = v;
                ptn[at++] = 1;
            }
        }
        if (at) {
            ptn[at - 1] = 0;
        }
    }
}

/* A digraph with a layer for each field. */
static int layers(const word *s) {
    n_edges = 0;
    for (int node = 0; node < NODES; node++) {
        edge(node, NODES + node);
        colour[node] = kind_of(s, node);
        colour[NODES + node] = 16 + kind_of(s, node);
        for (int f = 0; f < BRANCHES; f++) {
            const int there = target(s, node, f);
            if (there >= 0) {
                edge(f * NODES + node, f * NODES + there);
            }
        }
    }
    sort_colours(2 * NODES);
    return 2 * NODES;
}

/* A graph in which each field that is not null is a vertex of its own. */
static int ports(const word *s) {
    int n = NODES;
    n_edges = 0;
    for (int node = 0; node < NODES; node++) {
        colour[node] = kind_of(s, node);
        for (int f = 0; f < BRANCHES; f++) {
            const int there = target(s, node, f);
            if (there >= 0) {
                colour[n] = 16 + f;
                edge(node, n);
                edge(n, there);
                n++;
            }
        }
    }
    sort_colours(n);
    return n;
}

static double by_nauty(word (*states)[STATE_WORDS], int method) {
    double sum = 0;
    for (int i = 0; i < STATES; i++) {
        const int n = method ? ports(states[i]) : layers(states[i]);
        sum += nauty_time(method, n, n_edges, from, to, lab, ptn, ROUNDS / 20);
    }
    return sum / (STATES * (ROUNDS / 20));
}
#endif

int main(void) {
    static word states[STATES][STATE_WORDS], here[STATE_WORDS];
    roots = find_roots(initial_states[0], room, &n_roots);
    for (int kind = 0; kind < (PROCESSES > 1 ? 3 : 1); kind++) {
        srand(1);
        for (int i = 0; i < STATES; i++) {
            make_state(states[i], kind);
        }
        const double begin = seconds();
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < STATES; i++) {
                memcpy(here, states[i], KEY_WORDS * sizeof(word));
                fold_state(here, NULL);
            }
        }
        printf("%d %.9f", kind, (seconds() - begin) / (STATES * ROUNDS));
#ifdef WITH_NAUTY
        for (int method = 0; method < 3; method++) {
            printf(" %.9f", by_nauty(states, method));
        }
#endif
        printf("\n");
    }
    return 0;
}
