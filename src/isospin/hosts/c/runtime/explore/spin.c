/* Loops that wait: `while (!atomic_load(&ready)) ;`.
 *
 * A thread that comes back to the same place with the same registers and the same stack, and changed nothing in
 * between, will go round for ever unless something that it read has changed.  So instead of going round it waits for
 * that: its next operation can be executed only when one of those bytes is another one.  The same for `lock; look;
 * unlock`: taking a mutex and giving it back changes nothing, if the thread does not stop in between.
 *
 * Reference: as in Python programs (host/python, `awaited`), and as "spin-assume" in stateless model checkers.
 * Differs: found at run time, from what the loop did, not from its code.
 *
 * SOUND: a round that is left out would lead to the state in which it began, so no state is lost.  On the way it may
 * hold a mutex, which only those can see who do not wait for it (trylock): where there are such, the verdict is
 * incomplete. Bytes that were read plainly need no span: if somebody writes them while the thread waits, that is a race
 * with the earlier read, or ordered by an operation on what the loop reads atomically.
 */
#include "runtime.h"

#include <string.h>

static struct rounds {
    int places, reads, locks;
    struct place {
        const void *pc;
        uint64_t state;
        int reads;      /* made before */
        uint32_t least; /* how many mutexes were held at least since then */
    } place[SPIN_PLACES];
    const void *locked[SPIN_PLACES]; /* mutexes that were taken, and given back or not */
} all[MOST_THREADS];

void spin_begin(int thread) { all[thread].places = all[thread].reads = all[thread].locks = 0; }

void spin_effect(void)
{
    spin_begin(current->number);
    current->awaits = 0;
}

/* ---------------------------------------------------------------- mutexes on the way */

static bool has_locked(const struct rounds *rounds, const void *mutex)
{
    for (int i = 0; i < rounds->locks; i++)
        if (rounds->locked[i] == mutex)
            return true;
    return false;
}

void spin_locked(const void *mutex)
{
    struct rounds *rounds = &all[current->number];
    if (has_locked(rounds, mutex))
        return;
    if (rounds->locks == SPIN_PLACES)
        spin_effect();
    rounds->locked[rounds->locks++] = mutex;
}

void spin_unlocked(void)
{
    struct rounds *rounds = &all[current->number];
    for (int i = 0; i < rounds->places; i++)
        if (current->held < rounds->place[i].least)
            rounds->place[i].least = current->held;
}

static void rounds_are_missing(void)
{
    learn_incomplete(
        "a loop takes and gives back a lock that others take by trylock: not all of its rounds were tried");
}

void spin_tried(const void *mutex)
{
    for (int i = 0; i < now.threads; i++)
        if (i != current->number && thread_of(i)->life == LIVING && thread_of(i)->awaits && has_locked(&all[i], mutex))
            rounds_are_missing();
}

static void check_tried(const struct rounds *rounds)
{
    for (int i = 0; i < rounds->locks; i++)
        if (mutex_tried(rounds->locked[i]))
            rounds_are_missing();
}

/* ---------------------------------------------------------------- the state of a thread */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ul;
    return hash ^ hash >> 29;
}

/* SOUND: equal numbers are taken for equal states: 64 bits, and an error would need two rounds of one loop to collide.
 */
static uint64_t local_state(void **entry)
{
    const uint64_t *word = (const uint64_t *)entry, *end = (const uint64_t *)(current->self + REGION_SIZE);
    uint64_t hash = mix((uint64_t)users_rbx, (uint64_t)users_r12);
    hash = mix(mix(mix(hash, (uint64_t)users_r13), (uint64_t)users_r14), (uint64_t)users_r15);
    hash = mix(hash, current->held); /* SOUND: a round that keeps a lock is no round */
    for (; word < end; word++)
        hash = mix(hash, *word);
    return hash;
}

/* ---------------------------------------------------------------- what a round read */

static uint64_t value_at(const struct spin_read *read)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)read->from, read->size);
    return value;
}

void spin_read(uintptr_t from, size_t size, int space)
{
    struct rounds *rounds = &all[current->number];
    if (size > 8 || rounds->reads == SPIN_READS) {
        spin_effect(); /* too much to remember */
        return;
    }
    struct spin_read *read = &current->spin[rounds->reads++];
    *read = (struct spin_read){.from = from, .size = (uint8_t)size, .space = (uint8_t)space};
    read->value = value_at(read);
}

static bool changed(const struct thread *thread)
{
    if (thread->otherwise && !thread->otherwise(thread))
        return false;
    for (int i = thread->awaits - 1; i < thread->spin_end; i++)
        if (value_at(&thread->spin[i]) != thread->spin[i].value)
            return true;
    return false;
}

/* ---------------------------------------------------------------- coming back */

static bool has_span(const struct operation *operation, const struct spin_read *read)
{
    for (int i = 0; i < operation->spans; i++)
        if (operation->span[i].from == read->from && operation->span[i].space == read->space &&
            operation->span[i].size >= (read->space == SYNC ? 1 : read->size))
            return true;
    return false;
}

/* Let the pending operation wait for a change of what was read since; false: too many objects. */
static bool await(int since)
{
    struct operation *operation = &current->operation;
    int end = all[current->number].reads, spans = operation->spans;
    for (int i = since; i < end; i++) {
        const struct spin_read *read = &current->spin[i];
        if (read->space == SPIN_PLAIN || has_span(operation, read))
            continue;
        if (operation->spans == MOST_SPANS) {
            operation->spans = (uint8_t)spans;
            return false;
        }
        touch(operation, read->space, read->from, read->space == SYNC ? 1 : read->size, false, true);
    }
    for (int i = 0; i < operation->spans; i++)
        operation->span[i].decides = true;
    operation->waits = true;
    current->otherwise = current->ready;
    current->ready = changed;
    current->awaits = (uint8_t)(since + 1);
    current->spin_end = (uint8_t)end;
    return true;
}

static struct place *place_of(struct rounds *rounds, const void *pc)
{
    for (int i = 0; i < rounds->places; i++)
        if (rounds->place[i].pc == pc)
            return &rounds->place[i];
    return NULL;
}

/* Is the thread back where it was, so that it has to wait?  Not inline: nothing of this is to lie in the frame of a
 * parked thread, where it would tell threads apart.  Locks are taken often, and seldom to wait by looking: there the
 * state is asked for from the second time on. */
static __attribute__((noinline)) bool came_back(void **entry)
{
    struct rounds *rounds = &all[current->number];
    struct place *place = place_of(rounds, entry[1]);
    uint64_t state = place || current->operation.kind != OP_LOCK ? local_state(entry) : 0;
    /* SOUND: one that was held there and given back on the way must not be kept while waiting: others may need it. */
    bool kept = place && place->least >= current->held;
    if (kept && place->state == state && place->reads < rounds->reads && await(place->reads)) {
        check_tried(rounds);
        return true;
    }
    if (!place)
        place = &rounds->place[rounds->places < SPIN_PLACES ? rounds->places++ : 0];
    *place = (struct place){entry[1], state, rounds->reads, current->held};
    return false;
}

void perform_reading(void **entry)
{
    if (running)
        came_back(entry);
    perform();
    if (current->awaits)
        spin_effect(); /* something is new */
}

/* ---------------------------------------------------------------- plain loops */

static bool alone(void)
{
    for (int i = 0; i < now.threads; i++)
        if (i != current->number && thread_of(i)->life == LIVING)
            return false;
    return true;
}

/* A loop makes very many accesses: perhaps it waits for a plain variable that another thread will write.  What it read
 * last becomes visible, so that others get a turn. */
void spin_expose(void)
{
    if (alone())
        return;
    for (int i = 0; i < all[current->number].reads; i++)
        if (current->spin[i].space == SPIN_PLAIN)
            learn_visible(current->spin[i].from, current->spin[i].size);
    if (learnt)
        abandon();
}
