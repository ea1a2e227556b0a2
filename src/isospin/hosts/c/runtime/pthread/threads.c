/* Threads: birth, end, join.  A thread is numbered by its parent and by how many the parent started before. */
#include "pthread/sync.h"
#include "symmetry/bystander.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <string.h>

struct execution now = {.threads = 1, .random = 1}; /* as after srand(1) */

/* Destructors that run when a thread or the process ends. */
struct late {
    struct late *next;
    void (*function)(void *);
    void *argument;
};

struct thread *thread_named(uintptr_t self)
{
    int number = region_owner(self);
    if (number < 0 || self != region_of(number) || number >= now.threads || thread_of(number)->life == UNBORN)
        return NULL;
    return thread_of(number);
}

/* ---------------------------------------------------------------- the end of a thread */

static bool run_destructors(void **values)
{
    bool more = false;
    for (int key = 0; key < current->specific; key++) {
        void *value = values[key];
        if (!value || !now.destructor[key])
            continue;
        values[key] = NULL;
        now.destructor[key](value);
        more = true;
    }
    return more;
}

void run_late(struct late **list)
{
    while (*list) {
        struct late *first = *list;
        *list = first->next;
        first->function(first->argument);
    }
}

struct late *late_add(struct late *next, void (*function)(void *), void *argument)
{
    struct late *late = allocate(sizeof *late, 16, NULL);
    *late = (struct late){.next = next, .function = function, .argument = argument};
    return late;
}

/* The last operation of a thread. */
static _Noreturn void end(void **entry)
{
    touch(pend(OP_END, entry), ENDS, (uintptr_t)current->number, 1, true, false);
    perform();
    current->life = ENDED;
    now.exited |= current->leaves;
    leave();
}

static _Noreturn void finish(void *result, void **entry)
{
    current->result = result;
    run_late(&current->late);
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
        if (!run_destructors((void **)(current->self + SPECIFIC_FROM)))
            break;
    end(entry);
}

/* The process ends.  Others go on: the end touches nothing, so whatever they do after it they can do before it. */
_Noreturn void process_end(void **entry)
{
    current->leaves = true;
    end(entry);
}

/* Whoever walks the frames of a thread stops here. */
__attribute__((noinline)) static void thread_main(void)
{
    void *result = current->start(current->argument);
    finish(current->c11 ? (void *)(intptr_t)(int)(intptr_t)result : result, HERE);
}

/* ---------------------------------------------------------------- birth */

void thread_begin(struct thread *thread)
{
    thread->life = LIVING;
    spin_begin(thread->number);
    unroll_begin(thread->number);
    thread->parked = fiber_new((void *)(thread->self + REGION_SIZE), thread_main);
    thread->stack_low = (uintptr_t)thread->parked;
    thread->entry = (void **)((char *)thread->parked + offsetof(struct parked, rbp));
    thread->chosen = 1;
    thread->operation = (struct operation){.kind = OP_START, .pc = (const void *)thread->start};
}

static struct thread *born(int number, void *(*start)(void *), void *argument)
{
    for (int i = now.threads; i <= number; i++) /* one with a smaller number may be born later, and is looked at now */
        region_open(i);
    struct thread *child = thread_of(number);
    *child = (struct thread){
        .self = region_of(number),
        .number = number,
        .parent = current->number,
        .start = start,
        .argument = argument,
        .heap_top = region_of(number) + HEAP_FROM,
        .seat_top = region_of(number) + HEAP_FROM,
    };
    tls_open(child);
    thread_begin(child);
    if (number >= now.threads)
        now.threads = number + 1;
    race_born(current->number, number);
    return child;
}

__attribute__((noinline)) static int create(pthread_t *self, const pthread_attr_t *attributes, void *(*start)(void *),
                                            void *argument, bool c11, void **entry)
{
    if (!running)
        broken("a constructor starts a thread before main begins");
    current->put = (uint64_t)(uintptr_t)argument;
    current->hands_on = sizeof argument;
    access_memory((uintptr_t)self, sizeof *self, true, entry);
    pend(OP_CREATE, entry);
    perform();
    current->hands_on = 0;
    bystander_starts();
    int number = known_child(current->number, current->children++);
    if (number < 0)
        return EAGAIN;
    struct thread *child = born(number, start, argument);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    child->detached = detached == PTHREAD_CREATE_DETACHED;
    child->c11 = c11;
    child->slept = current->slept;
    *self = child->self;
    return 0;
}

enum { TOUCHED_BY_CREATE = 2048 }; /* more than a birth needs of its parent's stack */

/* What a birth left on the stack of the parent names the child.  A library does not write all bytes of its frames, and
 * all of them count: there it would tell the child apart from its twins. */
__attribute__((noinline)) static void sweep(void)
{
    char below[TOUCHED_BY_CREATE];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

int thread_create(pthread_t *self, const pthread_attr_t *attributes, void *(*start)(void *), void *argument, bool c11,
                  void **entry)
{
    int error = create(self, attributes, start, argument, c11, entry);
    sweep();
    return error;
}

EXPORT int pthread_create(pthread_t *self, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    return thread_create(self, attributes, start, argument, false, HERE);
}

/* ---------------------------------------------------------------- join and the like */

/* SOUND: of joining and detaching the same thread, or doing one of them twice, the second is an error in whatever order
 * they come, so that they need not be operations. */
static int can_join(const struct thread *other, const char *what, const void *pc)
{
    if (!other)
        return ESRCH;
    if (other->joined)
        fail("lock-misuse", pc, "%s a thread that is joined already", what);
    if (other->detached)
        fail("lock-misuse", pc, "%s a detached thread", what);
    return 0;
}

/* `checked`: the result is written to the user's memory. */
int thread_join(pthread_t self, void **result, bool checked, void **entry)
{
    struct thread *other = thread_named(self);
    if (other == current)
        return EDEADLK;
    int error = can_join(other, "joining", entry[1]);
    if (error)
        return error;
    bool later = !result && !known_single_joins();
    if (!later)
        settle(entry);
    other->joined = true;
    if (later) {
        join_later(other, entry);
        return 0;
    }
    perform_join((thread_set)1 << other->number, entry[1], entry);
    if (result && checked)
        access_memory((uintptr_t)result, sizeof *result, true, entry);
    if (result)
        *result = other->result;
    return 0;
}

EXPORT int pthread_join(pthread_t self, void **result) { return thread_join(self, result, true, HERE); }

int thread_detach(pthread_t self, void **entry)
{
    struct thread *other = thread_named(self);
    int error = can_join(other, "detaching", entry[1]);
    if (!error) {
        stand_by((uintptr_t)other, sizeof other->detached, true);
        other->detached = true;
    }
    return error;
}

EXPORT int pthread_detach(pthread_t self) { return thread_detach(self, HERE); }

EXPORT pthread_t pthread_self(void) { return current->self; }

EXPORT int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* ---------------------------------------------------------------- leaving early */

struct cleanup {
    struct cleanup *next;
    __pthread_unwind_buf_t *buffer;
};

static _Noreturn void unwind(void **entry)
{
    struct cleanup *last = current->cleanups;
    if (!last)
        finish(current->result, entry);
    current->cleanups = last->next;
    struct __jmp_buf_tag *place = (void *)last->buffer->__cancel_jmp_buf;
    __asm__("" : "+r"(place)); /* a shorter jmp_buf, without signals: the compiler need not know */
    longjmp(place, 1);
}

EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
    struct cleanup *cleanup = (struct cleanup *)buffer->__pad; /* room for four words */
    *cleanup = (struct cleanup){.next = current->cleanups, .buffer = buffer};
    current->cleanups = cleanup;
}

EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
    current->cleanups = ((struct cleanup *)buffer->__pad)->next;
}

EXPORT _Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
    (void)buffer;
    unwind(HERE);
}

_Noreturn void thread_exit(void *result, void **entry)
{
    settle(entry);
    current->result = result;
    unwind(entry);
}

EXPORT _Noreturn void pthread_exit(void *result) { thread_exit(result, HERE); }
