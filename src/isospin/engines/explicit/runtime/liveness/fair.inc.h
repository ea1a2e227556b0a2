/* Weakly fair runs that violate a claim: components of the product, summed up while a depth-first search merges them.

   Reference: Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), for the search; Emerson, Sistla,
   "Utilizing symmetry when model checking under fairness assumptions" (1997), and Gyuris, Sistla (1999), for the
   quotient annotated with permutations and its threads; docs/develop/traps.md, "Liveness".

   Differs: no thread is stored.  Every process of a state has a *name*: what it is called at the root of the search
   tree, if one follows the permutations of the tree's edges back.  The nodes of a component are connected by edges
   of the tree, where names stay what they are by definition; every other edge of the component says of two names
   that they are one thread.  So a component is summed up by one bit (does it accept?), a set of names (who is served
   somewhere?) and a partition of the names (its threads).  Without symmetry there are as many threads as processes,
   and this is Couvreur's search with one acceptance set for each process.

   Why not a nested search with copies of the states, as SPIN's: it stores a state once for each process and twice more,
   and the copies mean nothing in a quotient (docs/develop/traps.md has the example).  Why are edges not stored: they
   are made again when there is a run to be shown, and a run that is found is short work beside a search that finds
   none.

   A worked example, with two processes and four pairs: engines/interp/graph.py and tour.py.

   SOUND: a component has a weakly fair run that accepts iff it has an edge, an accepting state, and each thread passes
   a state where its process cannot start a step, or an edge on which its process moves.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_FAIR_H
#define ISOSPIN_FAIR_H

#include "liveness/product.inc.h"

#define NOWHERE UINT32_MAX

/* A state on the way from the initial one to where the search is. */
struct place {
    uint32_t node;
    uint64_t base; /* its own offers are above */
};

/* States that reach each other, as far as has been seen: all that are alive, from the root on to the next part. */
struct part {
    uint32_t root;
    bool accepts;
    word served[PID_WORDS]; /* names */
    word entry[PID_WORDS];  /* the names of those who move on the edge of the tree that leads to the root */
#ifdef MOVES_POINTS
    uint8_t leader[SLOTS]; /* of names: those of one thread have the same last leader */
#endif
};

struct known {
    word state[KEY_WORDS];
    bool alive; /* its component is not finished */
#ifdef MOVES_POINTS
    uint8_t names[SLOTS];
#endif
};

static struct {
    struct known *nodes; /* in the order in which they were found */
    struct finder finder;  /* of the nodes */
    struct place *path;
    struct part *parts;
    uint32_t *living;
    uint64_t n_nodes, room_nodes, n_path, room_path, n_parts, room_parts, n_living, room_living;
} hunt;

ALWAYS_INLINE bool has(const word *set, unsigned pid) { return set[pid / 64] >> pid % 64 & 1; }

ALWAYS_INLINE void add(word *set, unsigned pid) { set[pid / 64] |= 1ULL << pid % 64; }

ALWAYS_INLINE unsigned name_of(uint32_t node, unsigned pid)
{
#ifdef MOVES_POINTS
    return hunt.nodes[node].names[pid];
#else
    (void)node;
    return pid;
#endif
}

/* ------------------------------------------------------------------------------------------- nodes */

ALWAYS_INLINE uint64_t node_slot(const word *s) { return slot_for(&hunt.finder, hunt.nodes, sizeof *hunt.nodes, s); }

ALWAYS_INLINE uint32_t node_of(const word *s) { return hunt.finder.numbers[node_slot(s)] - 1; }

ALWAYS_INLINE bool room_for_node(void)
{
    return room_to_find(&hunt.finder, hunt.nodes, sizeof *hunt.nodes, hunt.n_nodes);
}

static uint32_t add_node(struct worker *w, const word *s)
{
    if (!room_for_node() || !ROOM_IN(hunt.nodes, hunt.n_nodes, hunt.room_nodes)) {
        return NOWHERE;
    }
    hunt.finder.numbers[node_slot(s)] = (uint32_t)hunt.n_nodes + 1;
    COPY_WORDS(hunt.nodes[hunt.n_nodes].state, s, KEY_WORDS);
    w->states++;
    return (uint32_t)hunt.n_nodes++;
}

/* What follows the node, above the offers that are there already; returns how many those are. */
static uint64_t offers_of(struct worker *w, uint32_t node)
{
    const uint64_t base = product.n_offers;
    all_offers(w, hunt.nodes[node].state, false);
    return base;
}

/* ------------------------------------------------------------------------------------------- threads */

#ifdef MOVES_POINTS
ALWAYS_INLINE unsigned leader(const struct part *p, unsigned name)
{
    while (p->leader[name] != name) {
        name = p->leader[name];
    }
    return name;
}

ALWAYS_INLINE void unite(struct part *p, unsigned a, unsigned b) { p->leader[leader(p, b)] = (uint8_t)leader(p, a); }

/* A process keeps its name along an edge of the tree. */
static void pass_names(uint32_t from, const struct offer *o, uint32_t to)
{
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        const unsigned there = from == NOWHERE ? pid : o->images[pid];
        hunt.nodes[to].names[there] = (uint8_t)(from == NOWHERE ? pid : hunt.nodes[from].names[pid]);
    }
}

static bool all_served(const struct part *p)
{
    word happy[PID_WORDS] = {0};
    bool all = true;
    for (unsigned name = 0; name < SLOTS; name++) {
        if (has(p->served, name)) {
            add(happy, leader(p, name));
        }
    }
    for (unsigned name = 0; name < SLOTS; name++) {
        all &= has(happy, leader(p, name));
    }
    return all;
}
#else
ALWAYS_INLINE bool all_served(const struct part *p)
{
    bool all = true;
    for (unsigned i = 0; i < PID_WORDS; i++) {
        all &= p->served[i] == (i + 1 < PID_WORDS || SLOTS % 64 == 0 ? ~0ULL : (1ULL << SLOTS % 64) - 1);
    }
    return all;
}
#endif

ALWAYS_INLINE void add_named(word *set, uint32_t node, const word *pids)
{
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        if (has(pids, pid)) {
            add(set, name_of(node, pid));
        }
    }
}

/* ------------------------------------------------------------------------------------------- the run to be shown */

static struct {
    uint32_t root, at, seed;
    bool waits[SLOTS];    /* processes as they are called at the seed: who was not served yet? */
    uint8_t where[SLOTS]; /* what they are called now */
    uint32_t *orders;
    uint64_t n_orders, room_orders;
} tour;

enum goal { COMPONENT, ACCEPTING, SERVICE, SEED };

/* How a pair of a node and a process was reached first. */
struct origin {
    uint64_t from; /* pair, + 1; 0: it was not reached; its own: it is a start */
    uint32_t order;
};

/* A search for the shortest way; pairs are numbered node * stride + pid. */
struct way {
    enum goal goal;
    unsigned stride;
    struct origin *came;
    uint64_t *queue;
    uint64_t n_queue, end;
    uint32_t last_order, target; /* an edge behind the last pair, or target NOWHERE */
};

ALWAYS_INLINE bool is_member(uint32_t node) { return node != NOWHERE && node >= tour.root && hunt.nodes[node].alive; }

static void reach_pair(struct way *y, uint64_t pair, uint64_t from, uint32_t order)
{
    if (!y->came[pair].from) {
        y->came[pair] = (struct origin){from + 1, order};
        y->queue[y->n_queue++] = pair;
    }
}

/* Goes on from a pair; true if the goal is there, or behind the next edge. */
static bool look_further(struct worker *w, struct way *y, uint64_t pair)
{
    const uint32_t node = (uint32_t)(pair / y->stride);
    const unsigned pid = (unsigned)(pair % y->stride);
    y->end = pair;
    if ((y->goal == COMPONENT && is_member(node)) || (y->goal == ACCEPTING && claim_accepts(hunt.nodes[node].state))) {
        return true;
    }
    const uint64_t base = offers_of(w, node);
    bool there = y->goal == SERVICE && !has(w->starters, pid);
    for (uint64_t i = product.n_offers; i-- > base && !there;) {
        const struct offer *o = product.offers + i;
        const uint32_t to = node_of(o->state);
        if (to == NOWHERE || (y->goal != COMPONENT && !is_member(to))) {
            continue;
        }
        if ((y->goal == SERVICE && has(o->movers, pid)) || (y->goal == SEED && to == tour.seed)) {
            y->last_order = (uint32_t)o->order;
            y->target = to;
            there = true;
        } else {
            const uint64_t image = y->goal == SERVICE ? o->images[pid] : 0;
            reach_pair(y, (uint64_t)to * y->stride + image, pair, (uint32_t)o->order);
        }
    }
    product.n_offers = base;
    return there;
}

/* Takes one step of the tour: who is served by it, and where are the others then? */
static void take(struct worker *w, uint32_t order, uint32_t to)
{
    const uint64_t base = offers_of(w, tour.at);
    uint64_t i = base;
    while (i < product.n_offers && !(product.offers[i].order == order && node_of(product.offers[i].state) == to)) {
        i++;
    }
    if (i == product.n_offers || !ROOM_IN(tour.orders, tour.n_orders, tour.room_orders)) {
        stop_because(END_MEMORY);
        return;
    }
    const struct offer *o = product.offers + i;
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        tour.waits[pid] &= has(w->starters, tour.where[pid]) && !has(o->movers, tour.where[pid]);
        tour.where[pid] = o->images[tour.where[pid]];
    }
    product.n_offers = base;
    tour.orders[tour.n_orders++] = order;
    tour.at = to;
}

/* SOUND: the queue is not needed any more, and a way is not longer than it. */
static void take_way_to(struct worker *w, const struct way *y, uint64_t pair)
{
    uint64_t length = 0;
    for (; y->came[pair].from != pair + 1; pair = y->came[pair].from - 1) {
        y->queue[length++] = pair;
    }
    tour.at = (uint32_t)(pair / y->stride);
    if (y->goal == COMPONENT && ROOM_IN(tour.orders, 0, tour.room_orders)) {
        tour.orders[0] = y->came[pair].order; /* first of all: which initial state */
        tour.n_orders = 1;
    }
    while (length-- > 0 && !shared.stop) {
        take(w, y->came[y->queue[length]].order, (uint32_t)(y->queue[length] / y->stride));
    }
}

/* Goes the shortest way to a goal: from the initial states to the component, then from where the tour is. */
static void go(struct worker *w, enum goal goal, unsigned pid)
{
    struct way y = {.goal = goal, .stride = goal == SERVICE ? SLOTS : 1, .target = NOWHERE};
    const uint64_t pairs = hunt.n_nodes * y.stride;
    y.came = take_memory(pairs * sizeof *y.came);
    y.queue = take_memory(pairs * sizeof *y.queue);
    if (y.came == NULL || y.queue == NULL) {
        stop_because(END_MEMORY);
        return;
    }
    for (uint64_t i = 0; goal == COMPONENT && i < shared.model->n_initial; i++) {
        const uint32_t start = node_of(initial_state(i));
        if (start != NOWHERE) {
            reach_pair(&y, start, start, (uint32_t)i);
        }
    }
    if (goal != COMPONENT) {
        const uint64_t start = (uint64_t)tour.at * y.stride + pid;
        reach_pair(&y, start, start, 0);
    }
    for (uint64_t i = 0; i < y.n_queue && !look_further(w, &y, y.queue[i]); i++) {
    }
    take_way_to(w, &y, y.end);
    if (y.target != NOWHERE && !shared.stop) {
        take(w, y.last_order, y.target);
    }
    give_memory(y.came, pairs * sizeof *y.came);
    give_memory(y.queue, pairs * sizeof *y.queue);
}

/* To the component, to an accepting state of it, to where each process is served, and back. */
static COLD void show_cycle(struct worker *w, uint32_t root)
{
    tour.root = root;
    go(w, COMPONENT, 0);
    go(w, ACCEPTING, 0);
    tour.seed = tour.at;
    const uint64_t before = tour.n_orders;
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        tour.waits[pid] = true;
        tour.where[pid] = (uint8_t)pid;
    }
    for (unsigned pid = 0; pid < SLOTS && !shared.stop; pid++) {
        if (tour.waits[pid]) {
            go(w, SERVICE, tour.where[pid]);
        }
    }
    if (!shared.stop && (tour.at != tour.seed || tour.n_orders == before)) {
        go(w, SEED, 0);
    }
    if (!shared.stop) {
        report_run(RUN_CYCLE, tour.orders, tour.n_orders, before);
    }
}

/* The claim is violated, or cannot be evaluated, at the newest node. */
static COLD void show_trouble(struct worker *w, const char *what)
{
    product.trouble = NULL;
    tour.root = (uint32_t)hunt.n_nodes - 1;
    go(w, COMPONENT, 0);
    if (!shared.stop) {
        report_run(what, tour.orders, tour.n_orders, 0);
    }
}

/* ------------------------------------------------------------------------------------------- the search */

/* A part of one node, that nothing leads back to yet. */
static void begin_part(const struct worker *w, uint32_t node, uint32_t from, const struct offer *o)
{
    if (!ROOM_IN(hunt.parts, hunt.n_parts, hunt.room_parts)) {
        return;
    }
    struct part *p = hunt.parts + hunt.n_parts++;
    *p = (struct part){.root = node, .accepts = claim_accepts(hunt.nodes[node].state)};
    word idle[PID_WORDS];
    for (unsigned i = 0; i < PID_WORDS; i++) {
        idle[i] = ~w->starters[i];
    }
#ifdef MOVES_POINTS
    for (unsigned name = 0; name < SLOTS; name++) {
        p->leader[name] = (uint8_t)name;
    }
#endif
    add_named(p->served, node, idle);
    if (from != NOWHERE) {
        add_named(p->entry, from, o->movers);
    }
}

static void enter(struct worker *w, uint32_t from, const struct offer *o)
{
    const uint32_t node = add_node(w, o->state);
    if (node == NOWHERE || !ROOM_IN(hunt.path, hunt.n_path, hunt.room_path) ||
        !ROOM_IN(hunt.living, hunt.n_living, hunt.room_living)) {
        return;
    }
    if (hunt.n_path > shared.max_depth) {
        stop_because(END_DEPTH);
        return;
    }
    if (hunt.n_path > w->deepest) {
        w->deepest = shared.depth = (uint32_t)hunt.n_path;
    }
    hunt.nodes[node].alive = true;
#ifdef MOVES_POINTS
    pass_names(from, o, node);
#endif
    const struct offer copy = *o; /* offers may move */
    hunt.living[hunt.n_living++] = node;
    hunt.path[hunt.n_path++] = (struct place){node, offers_of(w, node)};
    w->transitions += product.n_offers - hunt.path[hunt.n_path - 1].base;
    begin_part(w, node, from, &copy);
    if (UNLIKELY(product.trouble != NULL) && !shared.stop) {
        show_trouble(w, product.trouble);
    }
}

/* An edge leads back into a component that is not finished: all parts behind its target are one. */
static void close_cycle(struct worker *w, uint32_t from, const struct offer *o, uint32_t to)
{
    struct part *top = hunt.parts + hunt.n_parts - 1;
    for (; top->root > to; top--, hunt.n_parts--) {
        struct part *below = top - 1;
        below->accepts |= top->accepts;
        for (unsigned i = 0; i < PID_WORDS; i++) {
            below->served[i] |= top->served[i] | top->entry[i];
        }
#ifdef MOVES_POINTS
        for (unsigned name = 0; name < SLOTS; name++) {
            unite(below, name, top->leader[name]);
        }
#endif
    }
    add_named(top->served, from, o->movers);
#ifdef MOVES_POINTS
    for (unsigned pid = 0; pid < SLOTS; pid++) {
        unite(top, name_of(from, pid), name_of(to, o->images[pid]));
    }
#endif
    if (top->accepts && all_served(top)) {
        show_cycle(w, top->root);
    }
}

/* All that the node reaches has been seen: its part is a component, if it is the root. */
static void leave(uint32_t node)
{
    hunt.n_path--;
    if (hunt.parts[hunt.n_parts - 1].root != node) {
        return;
    }
    hunt.n_parts--;
    uint32_t member = NOWHERE;
    while (member != node) {
        member = hunt.living[--hunt.n_living];
        hunt.nodes[member].alive = false;
    }
}

static void search_from(struct worker *w, const word *s)
{
    uint32_t steps = 0;
    struct offer o = {0};
    COPY_WORDS(o.state, s, KEY_WORDS);
    enter(w, NOWHERE, &o);
    while (hunt.n_path && !shared.stop) {
        const struct place top = hunt.path[hunt.n_path - 1];
        if (product.n_offers == top.base) {
            leave(top.node);
            continue;
        }
        o = product.offers[--product.n_offers];
        const uint32_t to = node_of(o.state);
        if (to == NOWHERE) {
            enter(w, top.node, &o);
        } else if (hunt.nodes[to].alive) {
            close_cycle(w, top.node, &o, to);
        }
        if ((++steps & 255) == 0) {
            shared.queue = hunt.n_path;
            check_limits(w);
        }
    }
}

static void cycles(struct worker *w)
{
    if (!room_for_node()) {
        return;
    }
    for (uint64_t i = 0; i < shared.model->n_initial && !shared.stop; i++) {
        if (node_of(initial_state(i)) == NOWHERE) {
            search_from(w, initial_state(i));
        }
    }
    shared.queue = 0;
}

#endif
