/* What the files of the program side share.
 *
 * The user's code runs in fibers and calls the runtime: by the calls of the thread sanitizer at each access, and by the
 * functions of libc that are ours here.  At a visible operation it writes into its record what it is about to do
 * (`pend`), and `perform` gives control to the exploration; when that says so, `perform` returns and the operation is
 * done.  What a thread synchronises with is kept in the user's own objects: a reset of the memory resets it.
 */
#ifndef ISOSPIN_RUNTIME_H
#define ISOSPIN_RUNTIME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "explore/contract.h"
#include "fibers/fiber.h"
#include "explore/program.h"
#include "race/race.h"
#include "fibers/region.h"

#include <sys/resource.h>

#ifdef __clang__
#error "the runtime is compiled by gcc: clang cannot keep its hands off registers"
#endif
/* SOUND: values of the user's code may be in these registers while a thread is parked; since the runtime never uses
 * them, they are found in struct parked, where symmetry looks for them. */
register void *users_rbx __asm__("rbx");
register void *users_r12 __asm__("r12");
register void *users_r13 __asm__("r13");
register void *users_r14 __asm__("r14");
register void *users_r15 __asm__("r15");
#pragma GCC optimize("no-optimize-sibling-calls") /* a frame must last as long as the call: HERE */

#define EXPORT __attribute__((visibility("default")))
/* The frame of the call into the runtime: [0] the caller's frame, [1] where it goes on. */
#define HERE ((void **)__builtin_frame_address(0))

enum life { UNBORN, LIVING, ENDED };

enum { SPIN_PLACES = 12, SPIN_READS = 24, SPIN_PLAIN = 255 /* instead of a space: no operation of its own */ };
struct spin_read { /* what a loop that perhaps waits has read */
    uintptr_t from;
    uint64_t value;
    uint8_t size, space;
};

/* One thread of the program, at the start of its region.  Addresses in it may be of its own region: symmetry maps them.
 */
struct thread {
    uintptr_t self; /* pthread_t: the start of the region */
    struct parked *parked;
    void **entry; /* of the call into the runtime in which it waits */
    void *frame;  /* of the innermost function that tells its accesses */
    void *crash[2]; /* frame and place of a crash: `entry` then */
    void *tls;    /* its base of thread-local storage */
    int number, parent;
    int children; /* how many it started so far */
    uint8_t life;
    bool detached, joined, leaves /* it ends the process */, c11 /* its function returns an int */;
    int choice; /* of the operation that is being executed */
    int chosen; /* outcomes of the pending operation */
    struct operation operation;
    bool (*ready)(const struct thread *); /* NULL: always */
    int (*outcomes)(const struct thread *); /* NULL: `chosen` */
    uintptr_t object, second;            /* what the pending operation is about */
    uint64_t put; /* of an atomic store or exchange, or a birth: the value that it will hand on */
    uint8_t hands_on; /* of so many bytes; 0: no such operation is pending */
    uintptr_t touches, expects; /* of an atomic operation: where, and where that is which it expects, or 0 */
    uintptr_t waits_for;                 /* the condition at which it waits */
    uint8_t signalled; /* 0: not; else enum heard (condition.c) */
    thread_set joining; /* the joins that it collects */
    uint8_t awaits, spin_end; /* not 0: it waits for a change of spin[awaits - 1 .. spin_end - 1] */
    struct spin_read spin[SPIN_READS];
    bool (*otherwise)(const struct thread *); /* and when is the operation ready apart from that; NULL: always */
    uint32_t held; /* how often it has taken a mutex that it has not given back */
    uint32_t reading; /* how many read locks it has */
    uint32_t round;      /* of the barrier at which it waits */
    uint32_t time_outs, spurious;
    uint64_t random; /* of its own generator */
    uint64_t slept; /* nanoseconds: its own time */
    void *(*start)(void *);
    void *argument, *result;
    struct cleanup *cleanups;      /* pthread_cleanup_push */
    struct late *late;             /* destructors of thread_local objects */
    int specific;                  /* how many values of thread-specific data may be set */
    struct block *blocks;          /* the newest that it allocated */
    struct block *freed;           /* the last that it freed, and did not get again */
    uintptr_t heap_top;            /* the first byte that was never given out */
    uintptr_t seat_top;            /* the seat behind its newest block (seats.c) */
    uintptr_t stack_low;           /* the lowest byte of the stack that was seen in use */
    unsigned files;                /* how many numbers of descriptors it used */
};

extern struct thread *current; /* who runs, or ran last */
extern uint64_t program_moves; /* counts steps and restarts: the same number, the same state */
extern uint64_t program_views; /* the same number, the same state, and the same is assumed of main (bystander.h) */
extern bool running;           /* in a fiber of the program, under control */

static inline struct thread *thread_of(int number) { return (struct thread *)region_of(number); }

/* The frame of the call into the runtime in which a thread waits: [0] its caller's frame, [1] where that goes on. */
static inline const void *thread_frame(int number) { return thread_of(number)->entry; }

/* The thread of a pthread_t; NULL if it names none. */
struct thread *thread_named(uintptr_t self);

extern bool learnt; /* something, in this execution */

/* ---- operations (program.c) */

/* Begin to describe the next operation of the current thread. */
struct operation *pend(enum operation_kind kind, void **entry);
void touch(struct operation *operation, enum space space, uintptr_t from, uint32_t size, bool writes, bool decides);
/* Give control away.  Returns the choice when the operation is to be executed.  Afterwards callers take `entry` from
 * the record again: kept in a frame, it would tell threads apart whose frames have different sizes. */
int perform(void);
/* A synchronisation that writes one object: the most common operation. */
int perform_on(enum operation_kind kind, void *object, void **entry);
int perform_waiting(enum operation_kind kind, void *object, bool (*ready)(const struct thread *), void **entry);

/* Something is wrong in the current thread: the execution ends here. */
_Noreturn void fail(const char *kind, const void *pc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same in a signal handler: `frame` and `pc` are those of the code that was interrupted. */
_Noreturn void fail_from(const char *kind, void *frame, const void *pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
extern struct finding found;
void describe_finding(const char *format, ...) __attribute__((format(printf, 1, 2)));
const struct finding *find_leak(void);
/* The fiber is done, or the execution is; never back. */
_Noreturn void leave(void);
/* Something was learnt by which this execution is no execution: it ends without a finding. */
_Noreturn void abandon(void);
/* The current thread does not do its next operation, nor anything else. */
void stand_still(void);
/* The process cannot go on at all. */
_Noreturn void broken(const char *why);

/* Order between threads, for the question what races; before main there is nobody to race with. */
static inline void released(const volatile void *object)
{
    if (running)
        race_release(current->number, (uintptr_t)object);
}

static inline void released_only(const volatile void *object)
{
    if (running)
        race_release_only(current->number, (uintptr_t)object);
}

static inline void acquired(const volatile void *object)
{
    if (running)
        race_acquire(current->number, (uintptr_t)object);
}

/* A lock that only one thread can hold. */
static inline void locked(const volatile void *lock)
{
    if (running)
        race_locked(current->number, (uintptr_t)lock);
}

static inline void unlocked(const volatile void *lock)
{
    if (running)
        race_unlocked(current->number, (uintptr_t)lock);
}

/* ---- loops that wait (spin.c) */
void perform_reading(void **entry); /* perform an operation that may change nothing */
void spin_read(uintptr_t from, size_t size, int space);
void spin_begin(int thread); /* a thread is born */
void spin_expose(void); /* a step has been going on for long */
void spin_locked(const void *mutex); /* it was taken by one who may only want to look */
void spin_unlocked(void);
void spin_tried(const void *mutex); /* it was asked for by one who does not wait */
bool mutex_tried(const void *mutex); /* so it was in this execution (mutex.c) */
void spin_effect(void); /* the thread did more than to look */
void spin_expects(uint64_t expected, uint64_t wanted); /* of a compare-and-exchange that it is about to make */
void spin_outcome(struct thread *thread); /* does the pending one write, as things are? */
void spin_operands(uint64_t first, uint64_t second); /* of the operation that it is about to make */
void spin_look(uintptr_t from, size_t size); /* it has read what nobody else writes, as far as is known */
bool spin_only_looks(void); /* has it just looked at a location, and done nothing since?  Then a pause is nothing */
void spin_how(int how); /* the location was accessed that it just read */
void spin_fence(void); /* it has passed one */
extern uint64_t seen_before; /* by the last operation on memory */
bool spin_alike(const struct renaming *renaming); /* does it take each loop that waits to one in the same situation? */
void await_look(void); /* a step was made */
void await_raced(const struct race *race); /* one of the two was held back */

/* ---- loops that are cut off (unroll.c) */
void unroll_begin(int thread); /* it is born */
void unroll_count(void **entry); /* the current thread comes to an operation */
bool unroll_is_over(int thread); /* it came too often */

/* ---- runs of joins (joins.c) */
extern thread_set threads_ahead; /* that went on before their joins were done */
void joins_reset(void);
void perform_join(thread_set joins, const void *pc, void **entry);
void join_later(struct thread *other, void **entry);
bool may_go_ahead(uintptr_t from, size_t size, bool writes, const void *pc);
void join_now(void **entry);
void join_before(uintptr_t from, size_t size, bool writes, void **entry); /* such an access */
void leave_function(void *frame, void **entry);
void watch_ahead(uintptr_t from, size_t size, bool writes);
bool joins_fixed(const struct renaming *renaming); /* does it change nothing of what was done ahead? */
void crashed_ahead(void); /* perhaps only because it was ahead: not again */

/* Before anything that is more than the current thread's own affair; our own messages are nobody's. */
static inline void settle(void **entry)
{
    if (__builtin_expect(current->joining != 0, 0) && running)
        join_now(entry);
}

/* ---- memory */

/* Constructors, and the dynamic linker before them, work as main. */
void open_first(void);

/* A plain access of the user's code: checked, and a visible operation if its bytes are known to be raced for. */
void access_memory(uintptr_t from, size_t size, bool writes, void **entry);
/* A write that takes no notice of what was there, and leaves none of it. */
void write_memory(void *address, size_t size, void **entry);
/* The same for an atomic access, which is always visible: `kind` READ, WRITE or UPDATE. */
void access_atomic(uintptr_t from, size_t size, enum operation_kind kind, void **entry);
/* The same for an update that may commute with others. */
void access_commuting(uintptr_t from, size_t size, enum commuting how, void **entry);
/* Not inline: what it needs for a while is not to lie in frames of parked threads. */
__attribute__((noinline)) void check_race(uintptr_t from, size_t size, int how, const void *pc);
bool is_alive(uintptr_t from, size_t size);
void check_alive(uintptr_t from, size_t size, bool writes, const void *pc);

void *allocate(size_t size, size_t alignment, const void *pc);
void release_block(void *block, void **entry);
void heap_reset(struct thread *thread);
void seats_open(void); /* once, by a search with symmetry that starts again when something is learnt */
void heap_save(void);
void streams_prepare(void); /* the buffer of standard output is not to be in the heap of the thread that prints first */

/* ---- what one execution has besides the program's memory; put back by a reset */
enum { MOST_KEYS = 1024, MOST_SIGNALS = 65 };
struct execution {
    int threads; /* numbers that may be in use: all below */
    int keys;
    void (*destructor[MOST_KEYS])(void *);
    bool key_used[MOST_KEYS];
    uint64_t random; /* of the generator that threads share */
    bool exited; /* somebody ended the process */
    struct late *at_exit, *at_quick_exit;
    bool unreal; /* something went otherwise than in reality: to wait for ever, or to end with a status, is not the
                    program's fault */
    char *words; /* where strtok goes on */
    uint8_t dispositions[MOST_SIGNALS]; /* what is to happen at a signal (signals.c) */
    bool masked; /* somebody blocked signals */
    thread_set handling; /* who is in a signal handler */
    struct rlimit limits[RLIM_NLIMITS]; /* of the process, as it knows them */
    size_t allocated; /* bytes that have a seat, or had one */
};
extern struct execution now;

/* ---- the parts */
void reset_prepare(void); /* remember the initial state */
void reset_memory(void); /* and put it back */
struct piece { /* of the writable data of the program and its libraries */
    char *from;
    size_t size;
    char *copy; /* of the initial state; NULL: a private mapping, to be dropped */
    bool users; /* of the program itself, not of a library */
};
int reset_pieces(const struct piece **list);
/* Are these bytes in a thread's range or in such a piece, and so always there, and put back? */
bool reset_covers(uintptr_t from, size_t size);
/* Has this word been here since before any thread but main was there?  Then it only looks like an address of theirs. */
bool is_from_before(uintptr_t where, uintptr_t word);
bool is_users_code(const void *pc);
bool is_libc_code(const void *pc);
bool reset_unprotect(uintptr_t address); /* a library writes here for the first time: let it */
/* The number of a page of a library to which nobody ever wrote; -1: it is none. */
int reset_unwritten(uintptr_t address);
void fault_prepare(void);
void fault_arm(void);
void fault_watch(void); /* a step begins */
void thread_begin(struct thread *thread);
void tls_prepare(void);
void tls_open(struct thread *thread);
void tls_reset(void);
/* The initial content of an address in the thread-local storage of some thread, or NULL. */
const char *tls_first(uintptr_t where);
/* All thread-local storage of a thread, libc's record of it included. */
void tls_block(const struct thread *thread, char **from, size_t *size);
_Noreturn void process_end(void **entry);
/* The end by exit or the return from main; before it the handlers.  Where a status that is a failure came from: `pc`,
 * in the function with this frame (NULL: it is gone). */
_Noreturn void process_exit(int status, void *frame, const void *pc, void **entry);
void run_late(struct late **list);
struct late *late_add(struct late *next, void (*function)(void *), void *argument);
/* The function of this name that ours stands before. */
void *next_function(const char *name);
/* Zeroed memory that is no part of the program and is never put back. */
void *own_memory(size_t size);

/* ---- what was learnt, across executions (knowledge.c) */
void knowledge_apply(void); /* an execution begins */
void learn_incomplete(const char *why);
void learn_incomplete_at(const char *why); /* the current thread's operation */
void learn_fork(const char *why);
/* A function of a library, of which nobody knows what it does, was called beside others; `name` lasts. */
void learn_stranger(const char *name, void **entry);
void learn_visit(const void *pc); /* of the function that will go on there another thread used a variable; NULL: any */
void note_race(const struct finding *race);
void learn_visible(uintptr_t from, size_t size);
int known_child(int parent, int index);
bool known_order(void); /* the order of updates that could commute counts */
void learn_order(void);
bool known_shared(uintptr_t from, size_t size); /* not to be touched ahead of joins */
void learn_shared(uintptr_t from, size_t size);
bool known_single_joins(void); /* each join is an operation of its own */
void learn_single_joins(void);
bool known_seats(void); /* does it do to have seats (libc/seats.c)? */
void learn_no_seats(void);

#endif
