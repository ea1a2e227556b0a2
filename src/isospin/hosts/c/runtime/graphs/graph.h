/* Execution graphs: what happened, which write each read saw, and the modification order of each variable.
 *
 * Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt).
 * Differs: an update is one event with two parts, since its read can be taken back alone.  Operations on locks and the
 * like are events, too: each follows one that touched the same object (a *chain*), and where one is taken back a mark
 * stays that names the one that it gave way to (as in engines/stateless/graphs).
 */
#ifndef ISOSPIN_GRAPH_H
#define ISOSPIN_GRAPH_H

#include "explore/contract.h"
#include "graphs/history.h"
#include "symmetry/renaming.h"

typedef int32_t event_number; /* in one graph; NOBODY: none, or the initial value */
enum { NOBODY = -1, PENDING = INT32_MAX /* stamp of a write part that is still to come in */ };
enum { MOST_EVENTS = UINT16_MAX }; /* in one graph */

struct graph_event {
    uint8_t thread, kind;
    uint8_t order;
    bool reads, writes; /* memory */
    bool stuck;         /* it waits for ever: what it saw is the last that will ever be there, and not enough */
    bool took;          /* a trylock that got what it wanted */
    bool yields;        /* an update that was taken back by one that saw the same as it did */
    uint8_t objects;    /* other than memory: their chains */
    int32_t nth;        /* of its thread, from 0 */
    int32_t stamp;      /* when it was inserted; of an update: its read part */
    int32_t write_stamp; /* and its write part; PENDING: not yet */
    int32_t variable;   /* its number, or NOBODY */
    int32_t place;      /* in modification order, from 1; 0: it is not there (yet) */
    int32_t choice;
    int32_t point; /* the situation of one that may be held back (await.h), or 0 */
    int32_t situation; /* of a read in a loop (foresee/foresee.h), or 0 */
    event_number source;   /* what a read saw */
    event_number previous; /* in program order; of the first event of a thread: its birth */
    event_number earlier;  /* the access of its variable that came in before it */
    event_number fence;    /* the last fence before it that releases */
    int32_t object[MOST_SPANS];
    event_number before[MOST_SPANS]; /* in these chains */
    thread_set joins;
    int32_t born; /* the thread that it started, or NOBODY */
    struct atomic access;
    cell seen, written;
    cell initial; /* of its variable */
    const void *pc;
    uint16_t known[MOST_THREADS]; /* of one that is no access of memory: how many events of each thread happen before,
                                     itself included; of a load of a counter: the additions that it sees */
};

struct mark { /* at the stamp of an event that was taken back: it gave way to `by` */
    int32_t stamp;
    int thread, nth;
    event_number by;
};

struct twins { /* threads that can be exchanged from a birth on, the last event of all that came before */
    int first, second;
    event_number birth;
    const struct renaming *renaming;
};

/* Of which two places the order is another one than it was; NULL: none. */
struct origin {
    const void *one, *other;
    int does, other_does; /* kinds of operations */
};

struct graph {
    struct graph_event *events; /* in the order of their stamps */
    struct mark *marks;
    struct twins *twins;
    unsigned room, mark_room, twin_room;
    int count, mark_count, twin_count;
    int32_t stamps; /* the next one */
    event_number fresh; /* the event that is to be executed for the first time, and may have other choices; NOBODY */
    bool probe;         /* only run to see whether its last event ends a failed round */
    bool takes;         /* not run at all: its last event, an update, takes what another one has */
    struct origin because; /* of one that is left for later (later.h) */
};

/* ---- numbers of variables and objects, the same in all executions */
int32_t object_number(int space, uintptr_t from, uint32_t size, int life);
uint32_t object_size(int32_t number);
unsigned objects_ever(void); /* how many have a number */
/* Does a renaming take the first to the second? */
bool object_is_image(const struct renaming *renaming, int32_t first, int32_t second);

/* ---- graphs */
void graph_copy(struct graph *to, const struct graph *from);
/* Room for one more event, zeroed but for what says NOBODY; it has a new stamp, follows what its thread did, and has to
 * be filled in. */
struct graph_event *graph_add(struct graph *graph, int thread);
/* Its variable has been filled in. */
void graph_meet(struct graph *graph, event_number event);
/* The newest access of a variable, or NOBODY. */
event_number graph_latest(const struct graph *graph, int32_t variable);
#define FOR_EACH_ACCESS(e, graph, variable) \
    for (event_number e = graph_latest(graph, variable); e != NOBODY; e = (graph)->events[e].earlier)
/* The next event of a thread, an access or a fence, is as another one that was there, but has no source yet. */
event_number graph_add_like(struct graph *graph, int thread, const struct graph_event *like);
event_number graph_last_of(const struct graph *graph, int thread); /* the thread's newest event, or its birth */
event_number graph_at(const struct graph *graph, int thread, int nth);
static inline event_number same_event(const struct graph *made, const struct graph_event *event)
{
    return graph_at(made, event->thread, event->nth);
}
/* All but one, behind which nothing comes. */
void graph_without(struct graph *to, const struct graph *from, event_number gone);
/* Only these events.  Write parts of updates from the stamp `since` on become pending, but for those in `whole`; marks
 * from there on are gone. */
void graph_keep(struct graph *to, const struct graph *from, const bool *keep, const bool *whole, int32_t since);
/* The newest write of a variable in modification order, or NOBODY. */
event_number graph_last_write(const struct graph *graph, int32_t variable);
/* The one at a place; 0, or beyond the last: NOBODY. */
event_number graph_write_at(const struct graph *graph, int32_t variable, int32_t place);
event_number graph_last_in_chain(const struct graph *graph, int32_t object);
/* Put the write part of an event at a place in modification order; what is there moves on. */
void graph_place(struct graph *graph, event_number event, int32_t place);

static inline int32_t graph_place_of(const struct graph *graph, event_number write)
{
    return write == NOBODY ? 0 : graph->events[write].place;
}

/* The place in modification order up to which an event has seen its variable. */
static inline int32_t place_seen(const struct graph *graph, const struct graph_event *event)
{
    return event->place ? event->place : graph_place_of(graph, event->source);
}

/* ---- what follows from a graph */

struct relations {
    int count;
    event_number *order; /* extends program order, sources and chains */
    uint16_t (*past)[MOST_THREADS];    /* the same as a closure: how many events of each thread, itself included */
    uint16_t (*happened)[MOST_THREADS]; /* the same of happens-before */
    uint16_t (*said)[MOST_THREADS];     /* what those get to know who acquire a write */
    bool *done;
    unsigned room;
};

/* Their order, and what lies before each of them. */
void relate(struct relations *relations, const struct graph *graph);
/* The same, if the first `relations->count` events are related already, and the others follow them. */
void relate_more(struct relations *relations, const struct graph *graph);
/* One of these clocks, from those of what an event follows directly. */
void relate_direct(uint16_t (*clocks)[MOST_THREADS], const struct graph *graph, event_number event);
void clock_join(uint16_t *clock, const uint16_t *more);
/* And what happens before. */
void relate_happened(struct relations *relations, const struct graph *graph);
/* That, of those from one on in `order`, if it is known of the others. */
void relate_more_happened(struct relations *relations, const struct graph *graph, int from);

static inline bool is_in(const uint16_t *clock, const struct graph_event *event)
{
    return clock[event->thread] > event->nth;
}

#endif
