/* What the generated model, the searches and the rest of the runtime share.

   A state is an array of 64-bit words.  The first `key_words` are its identity; the words after them are scratch
   (a message in a rendezvous, hidden variables) and are zero in every state that is stored. */
#ifndef ISOSPIN_ENGINE_H
#define ISOSPIN_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h"

#ifndef CLUSTER
#define CLUSTER 0 /* 1: one of several processes, see cluster/cluster.h */
#endif

typedef uint64_t word;
typedef int64_t val; /* the value of an expression; arithmetic wraps to 32 bits as in the reference semantics */

#define MIX1 0x9E3779B97F4A7C15ULL /* odd, so that multiplying by them can be undone */
#define MIX2 0xD6E8FEB86659FD93ULL
#define MIX3 0xA0761D6478BD642FULL

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#ifdef __OPTIMIZE__
#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))
#else /* they would be expanded all the same, for nothing: half of the time to compile */
#define ALWAYS_INLINE static inline __attribute__((unused))
#endif
#define MAYBE_UNUSED __attribute__((unused))
#if defined(TINY) && TINY
#define SMALL_INLINE ALWAYS_INLINE
#else
#define SMALL_INLINE static __attribute__((noinline, unused)) /* many uses: the compiler would take too long */
#endif
#define COLD __attribute__((cold, noinline))

/* What one thread writes and others read while it runs: each value is whole, in no particular order. */
#define PEEK(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define POST(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)

enum { BATCH = 64, ROOM = 2 * BATCH, AHEAD = 16 }; /* successors: looked up together, room for them, fetched ahead */
enum { BEAM = 16 }; /* states that a depth-first search expands together */
enum { NOBODY = -1, LINE = 8, MOST_FAILED = 16, MOST_MICRO_STEPS = 1000000, SMALL = 255, REPEATED = SMALL - 1 };
#define MOST_SQUEEZED 4 /* words; a macro, because the preprocessor compares it */

struct choice {
    int32_t pid, action, partner, partner_action;
    int32_t reuse; /* what `new` gave, if pointers named that place already; else 0 */
};

/* A step inside an atomic sequence: what was done, and by which step before it. */
struct link {
    struct choice choice;
    int32_t control;
    int32_t parent; /* index of the link before, or NOBODY */
    int32_t length;
    bool expanded;
};

/* A step of an atomic sequence that is being followed right now, on the stack of C. */
struct trail {
    struct choice choice;
    int32_t control;
    bool timeout;      /* of the search before it */
    const word *state; /* after the step */
    const struct trail *before;
};

/* States in the order in which one worker found them, with what is needed to find the way back to them. */
struct chunk {
    word *states;   /* NULL once nobody needs them any more */
    uint8_t *order; /* which successor of its parent the state is; SMALL: see big_order; REPEATED: it is the parent */
    uint8_t *kids;  /* how many states were new among the successors; SMALL: see big_kids */
    uint32_t *big_order, *big_kids;
    struct segment *segments;
    uint32_t n_segments, room_segments;
    uint32_t used, consumed;
    bool on_disk; /* its states are there too, or only there, see spill.c */
};

/* From `start` on, the states of a chunk are the new successors of those of chunk `from`, from number `first` on, of
   which `skip` went into the chunk before.  CLUSTER: the parent of the first of them is number `first` (its upper half
   is `skip`) on the rank `from`; `kids` then says how far the parent of a state is behind that of the state before. */
struct segment {
    uint32_t start, from, first, skip;
};

struct range {
    uint32_t chunk, begin, end;
};

/* Which bits of a state go into the table: those outside `keep` have the values of `pattern` in almost all states, and
   a state where they have not goes into a side table.  SOUND: the two kinds of states are disjoint, and each table is
   exact. */
struct squeeze {
    word keep[MOST_SQUEEZED], pattern[MOST_SQUEEZED];
    unsigned bits, low_bits, high_bits, half, first_bits;
    word low_mask, seam; /* the bits of the low half; those of them that are from the second word or later */
};

struct side {
    word *states;
    uint8_t *used;
    uint64_t mask, count;
};

struct table {
    struct squeeze squeeze;
    word *slots;
    unsigned line_bits;
    uint64_t mask;  /* number of lines - 1 */
    uint64_t limit; /* grow when more states than this are in it */
    bool quotient;  /* slots hold the states themselves, not where they are */
    bool shared;    /* several threads insert */
};

/* The lines where a state may be: its home, the three beside it, then far away.  An involution for each probe, so that
   home and probe give the line, and line and probe give home. */
ALWAYS_INLINE uint64_t line_of(const struct table *t, uint64_t home, unsigned probe)
{
    return (home ^ (probe < 4 ? probe : probe * 0x9E3779B1ULL >> 1)) & t->mask;
}

enum mode { MODE_BFS, MODE_DFS, MODE_CYCLES, MODE_REPLAY };

/* In place of the number of a successor: */
#define STAYS (UINT32_MAX - 1) /* the run has ended */
#define REPEATS (UINT32_MAX - 2) /* the same state, from which everybody moves */
/* Beside the number of a successor: one process could move alone, but everybody moved. */
#define BY_EVERYBODY (1U << 30)

struct worker {
    enum mode mode;
    int number;
    bool is_only_thread; /* no other thread inserts */
    /* the step that is being taken */
    uint32_t fault;      /* site of the fault, 0: none */
    uint32_t failed[MOST_FAILED];
    uint32_t n_failed;
    const word *before; /* of a rendezvous: the state in which it starts */
    bool timeout;
    bool idle;     /* nothing could move without a timeout */
    bool overflow; /* the layout is too small for the new state */
    uint32_t nowhere; /* moves that end in an error, at a bound, or never: so many so far */
    word starters[4]; /* where fairness matters: processes that can start a step */
    uint64_t
        origin; /* of the next successor: number of the parent, and in the low half how many successors it has so far */
    /* the state that is being expanded */
    const word *root;
    uint32_t in_chunk, in_index;
    bool everybody; /* one process was not enough */
    bool alone; /* one process moved alone */
    /* atomic sequences */
    struct link *links;
    word *link_states;
    uint32_t n_links, room_links;
    int32_t link; /* the one that is being expanded, or NOBODY */
    const struct trail *trail; /* the steps after it */
    /* what was found */
    uint64_t states, transitions, fresh;
    unsigned __int128 orbits; /* how many states the stored ones stand for */
    uint32_t lost; /* 1 + index of the first parent with a successor that could not be stored; 0: none */
    uint32_t out; /* chunk that is being filled */
    bool has_out;
    struct chunk *filling; /* the same; NULL: none yet */
    uint32_t last_in, last_parent; /* of the newest state in it */
    uint32_t source; /* CLUSTER: the rank from which the states came that are looked up */
    uint64_t last_place; /* and the parent of the newest of them */
    uint32_t *tries; /* parents from which one process moved alone, and nothing is known yet of what it found */
    uint32_t first_try, n_tries, room_tries;
    struct pending *batch, *next, *full; /* successors that are being collected: begin, end so far, end of the room */
    struct pending *waiting; /* the batch before it, whose lines are being fetched */
    uint32_t n_waiting;
    /* depth-first search */
    struct frame *frames;
    word *frame_states;
    struct node *nodes;
    uint64_t n_frames, room_frames, n_nodes, room_nodes;
    int64_t node; /* the one that is being expanded */
    uint32_t deepest;
    /* replay: the successor that is wanted (else UINT32_MAX), and how it came about */
    uint32_t wanted;
    bool got;
    word *got_state;
    uint8_t images[256]; /* where folding took the points then */
    struct choice *steps;
    uint32_t n_steps, room_steps;
};

/* A depth-first search: a state on the stack, and one that was expanded, on the way to states on the stack. */
struct frame {
    uint32_t order, parent; /* index of a node; those of the frames ascend */
};

struct node {
    uint32_t order, parent, depth; /* the parent has a smaller index */
};

typedef bool (*see_state)(void *, const word *, uint64_t);

struct model {
    unsigned key_words, row_words, state_words, key_bits, n_actions, n_sites, chunk_size;
    uint8_t *executed; /* by number of the action */
    uint64_t n_initial;
    const word *initial;
    size_t pending_size;
    void (*bfs)(struct worker *, struct range);
    void (*dfs)(struct worker *);
    void (*cycles)(struct worker *); /* of a model with a claim, or NULL */
    bool together; /* several threads may search for cycles */
    void (*expand)(struct worker *, const word *);
    uint64_t (*insert_initial)(struct worker *, uint64_t);
    uint64_t (*hash)(const word *);
    void (*mix)(const struct table *, const word *, uint64_t *);
    unsigned n_images; /* points that symmetries may move: processes, scalarset values; 0: nothing is folded */
    bool counts_orbits, folds_heap;
    void (*key)(const word *, word *); /* what is looked up in place of a state, or NULL: the state itself */
    /* of a model whose states are compressed, or NULL (tree.inc.h): the codes in the table may have to change */
    bool (*is_crowded)(unsigned times), (*regroup)(bool (*each)(see_state, void *));
    word (*recode)(word);
};

struct shared {
    const struct model *model;
    struct table table;
    struct side side;
    struct chunk **chunks;
    uint32_t n_chunks, room_chunks;
    uint8_t *reported; /* by site */
    uint64_t count; /* states in the table, within a few */
    _Atomic bool pause, stop;
    word *spare; /* memory of chunks that nobody needs any more, linked by the first word */
    const char *why; /* why the search stopped early */
    unsigned cut; /* bounds that cut something off */
    bool all_errors, deadlock;
    uint64_t bitstate_bytes;
    uint64_t seed; /* of the order in which a depth-first search takes successors; 0: as the model has them */
    int inexact; /* see modes.h; the table then holds no states, and its lines are not for in_line */
    uint64_t max_states, max_memory;
    uint32_t max_depth, depth;
    double max_time, progress_interval;
    uint64_t memory, peak, queue;
    int threads, active, waiting;
    unsigned generation;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker *workers;
    int overflow_kind, overflow_where, overflow_what;
};

extern struct shared shared;
extern const struct model isospin_model;

/* grow.c */
bool table_open(unsigned line_bits, bool quotient);
void table_grow(void);
uint64_t table_next_bytes(void);

/* spill.c */
bool spill_is_due(void);
bool spill_chunk(uint32_t number);
bool spill_all(void);
bool spill_load(uint32_t number);
void spill_release(uint32_t number);
void spill_drop(uint32_t number);

/* squeeze.c */
void squeeze_all(struct squeeze *q);
bool is_unusual(const struct squeeze *q, const word *s);
bool choose_bits(struct squeeze *q, unsigned line_bits, bool (*each)(see_state, void *));
void unmix(const struct squeeze *q, uint64_t a, uint64_t b, word *s);
int side_insert(const word *s);
bool side_has(const word *s);
void side_free(struct side *side);

/* store.c */
void *take_memory(size_t bytes);
void give_memory(void *memory, size_t bytes);
void chunks_open(void);
uint32_t chunk_new(void);
word *chunk_room(void);
size_t chunk_bytes(void);
void chunk_forget(struct chunk *c);
void give_spare(void);
void note_order(struct chunk *c, uint32_t index, uint32_t order);
void note_kid(struct chunk *c, uint32_t index);
void note_segment(struct chunk *c, uint32_t from, uint32_t first, uint32_t skip);
void note_source(struct chunk *c, uint32_t rank, uint64_t place);
uint32_t kids_of(const struct chunk *c, uint32_t index);

/* parallel.c */
void bfs_run(void);
void dfs_run(void);
void cycles_run(void);
void safe_point(struct worker *w);
void check_limits(struct worker *w);
void watch_limits(struct worker *w);
void stop_because(const char *why);
void worker_init(struct worker *w, int number, enum mode mode);

/* report.c */
void report_finding(struct worker *w, uint32_t site, const struct choice *last);
void report_run(const char *what, const uint32_t *orders, size_t count, uint64_t cycle);
void report_overflow(struct worker *w, int kind, int where, int what);
void report_reuse(void);
void report_progress(void);
void report_end(void);
void report_warning(const char *text);
double cpu_time(void);
void out_of_memory(void) __attribute__((noreturn));
double now(void);

/* inexact.c */
int inexact_insert(uint64_t hash);
void print_sample(void);

#endif
