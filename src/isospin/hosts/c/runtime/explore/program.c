/* The program as the exploration sees it: contract.h over fibers. */
#include "await/overlooked.h"
#include "explore/commute.h"
#include "graphs/history.h"
#include "system/files.h"
#include "libc/heap.h"
#include "pthread/sync.h"
#include "symmetry/bystander.h"
#include "wire/outcomes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct program_options program_options = {.time_outs = 2, .callbacks = 100000000ull, .seconds = 10};
struct thread *current = (struct thread *)REGION_BASE;
bool running;
uint64_t program_moves, program_views;
struct finding found; /* parts may be filled in before `fail` */
static bool failed; /* this execution is over; `found` says why, if it has a kind */
static struct parked *root;
static void *base_now; /* whose thread-local storage is in use: the exploration itself needs none */

/* ---------------------------------------------------------------- the side of the exploration */

void program_restart(void)
{
    static bool fresh = true;
    failed = forgot_order = false;
    program_moves++;
    program_views++;
    knowledge_apply();
    joins_reset();
    bystander_reset();
    files_reset();
    outcomes_begin();
    if (fresh)
        fault_arm();
    else
        reset_memory();
    fresh = false;
    race_reset();
    history_reset();
    overlooked_begin();
    thread_begin(thread_of(0));
}

void program_close(void) { journal_restore(); }

void program_copied(void) { fault_arm(); }

int program_threads(void) { return now.threads; }

const struct operation *program_pending(int thread)
{
    if (failed || thread >= now.threads || thread_of(thread)->life != LIVING)
        return NULL;
    spin_outcome(thread_of(thread));
    return &thread_of(thread)->operation;
}

bool program_enabled(int thread)
{
    if (!program_pending(thread))
        return false;
    const struct thread *t = thread_of(thread);
    return !t->ready || t->ready(t);
}

int program_choices(int thread)
{
    const struct thread *t = thread_of(thread);
    return t->outcomes ? t->outcomes(t) : t->chosen;
}

int program_woken(int thread, int choice)
{
    const struct thread *t = thread_of(thread);
    return t->operation.kind == OP_SIGNAL ? condition_woken(t, choice) : -1;
}

static void clear_finding(void)
{
    found.kind = NULL;
    found.other = -1;
    found.other_pc = NULL;
    found.address = 0;
    found.message[0] = 0;
}

/* This execution shows nothing: what was assumed is wrong. */
static const struct finding *in_vain(void)
{
    failed = true;
    journal_restore();
    return NULL;
}

const struct finding *program_step(int thread, int choice)
{
    if (thread == 0 && !failed && !bystander_before())
        return in_vain();
    program_moves++;
    program_views++;
    current = thread_of(thread);
    current->choice = choice;
    clear_finding();
    fault_watch();
    if (current->tls != base_now)
        fiber_set_base(base_now = current->tls);
    running = true;
    fiber_switch(&root, current->parked);
    running = false;
    overlooked_look();
    if (!failed)
        await_look();
    if (!failed)
        return thread != 0 || bystander_after() ? NULL : in_vain();
    journal_restore(); /* it is over: leave nothing behind */
    return found.kind ? &found : NULL;
}

/* Does a thread wait for a time-out that we do not give it? */
static bool for_time_out(const struct thread *thread)
{
    int kind = thread->operation.kind;
    return kind == OP_TIMED_WAKE || kind == OP_TIMEDLOCK || kind == OP_TIMED_SEMAPHORE_WAIT;
}

static bool never(const struct thread *thread)
{
    (void)thread;
    return false;
}

const struct finding *program_stuck(void)
{
    bool lost = false, patient = false;
    int waiting = 0;
    for (int i = 0; i < now.threads && !failed; i++) {
        const struct thread *t = thread_of(i);
        if (t->life != LIVING)
            continue;
        patient |= for_time_out(t) || t->ready == never; /* and nobody knows what it would do */
        waiting++;
        lost |= condition_unheard(t);
        found.thread = t->number;
        found.pc = t->operation.pc;
    }
    if (failed)
        return NULL;
    journal_restore();
    if (!waiting || now.exited)
        return program_options.leaks ? find_leak() : NULL;
    if (patient || now.unreal)
        return NULL;
    found.kind = lost ? "lost-wakeup" : "deadlock";
    describe_finding("%d thread%s wait%s for ever", waiting, &"s"[waiting == 1], &"s"[waiting != 1]);
    return &found;
}

/* ---------------------------------------------------------------- the side of the program */

/* Operations that may leave everything as it was: a lock that is taken and given back, too (spin.c counts). */
enum {
    LOOKING = 1 << OP_READ | 1 << OP_UPDATE | 1 << OP_YIELD | 1 << OP_SLEEP | 1 << OP_TRYLOCK | 1 << OP_LOCK |
        1 << OP_UNLOCK | 1 << OP_SEMAPHORE_TRY | 1 << OP_FENCE,
};

struct operation *pend(enum operation_kind kind, void **entry)
{
    struct operation *operation = &current->operation;
    if (!running)
        open_first();
    settle(entry);
    if (!(LOOKING >> kind & 1))
        spin_effect();
    operation->kind = (uint8_t)kind;
    operation->waits = operation->spans = 0;
    operation->joins = 0;
    operation->pc = entry[1];
    current->entry = entry;
    current->ready = NULL;
    current->outcomes = NULL;
    current->chosen = 1;
    current->object = current->second = 0;
    if (program_options.unroll && running)
        unroll_count(entry);
    return operation;
}

void touch(struct operation *operation, enum space space, uintptr_t from, uint32_t size, bool writes, bool decides)
{
    if (space == SYNC)
        seat_kept(from);
    operation->span[operation->spans++] =
        (struct span){.from = from, .size = size, .space = (uint8_t)space, .writes = writes, .decides = decides};
}

/* SOUND: what it would do now is left out, and the verdict is incomplete. */
void stand_still(void)
{
    current->operation.waits = true;
    current->operation.spans = 0;
    current->ready = never;
    current->outcomes = NULL;
}

int perform(void)
{
    if (!running) { /* before main: nobody else is there */
        if (current->ready && !current->ready(current))
            broken("a constructor waits for something before main begins");
        return 0;
    }
    if (unroll_is_over(current->number))
        stand_still();
    race_stands(current->number, current->operation.pc);
    fiber_switch(&current->parked, root);
    return current->choice;
}

int perform_on(enum operation_kind kind, void *object, void **entry)
{
    touch(pend(kind, entry), SYNC, (uintptr_t)object, 1, true, false);
    return perform();
}

int perform_waiting(enum operation_kind kind, void *object, bool (*ready)(const struct thread *), void **entry)
{
    struct operation *operation = pend(kind, entry);
    touch(operation, SYNC, (uintptr_t)object, 1, true, true);
    operation->waits = true;
    current->object = (uintptr_t)object;
    current->ready = ready;
    return perform();
}

void leave(void) { fiber_leave(root); }

void describe_finding(const char *format, ...)
{
    va_list parts;
    va_start(parts, format);
    vsnprintf(found.message, sizeof found.message, format, parts);
    va_end(parts);
}

void abandon(void)
{
    found.kind = NULL;
    failed = true;
    leave();
}

static _Noreturn void report(const char *kind, const void *pc, const char *format, va_list parts)
{
    found.kind = kind;
    found.thread = current->number;
    found.pc = pc;
    vsnprintf(found.message, sizeof found.message, format, parts);
    if (!running)
        broken(found.message);
    failed = true;
    leave();
}

void fail(const char *kind, const void *pc, const char *format, ...)
{
    va_list parts;
    settle(HERE);
    current->entry = HERE; /* who wants to see the stack begins here */
    va_start(parts, format);
    report(kind, pc, format, parts);
}

void fail_from(const char *kind, void *frame, const void *pc, const char *format, ...)
{
    va_list parts;
    current->crash[0] = frame;
    current->crash[1] = (void *)pc;
    current->entry = current->crash;
    va_start(parts, format);
    report(kind, pc, format, parts);
}

void broken(const char *why)
{
    static const char before[] = "isospin: ";
    (void)!write(2, before, sizeof before - 1);
    (void)!write(2, why, strlen(why));
    (void)!write(2, "\n", 1);
    _exit(3);
}
