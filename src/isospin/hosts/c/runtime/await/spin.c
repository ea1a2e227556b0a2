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

#include "await/await.h"
#include "explore/commute.h"
#include "graphs/history.h"
#include "mix.h"
#include "await/local_state.h"
#include "await/overlooked.h"
#include "await/private.h"
#include "await/rounds_of.h"
#include "symmetry/renaming.h"

#include <string.h>

struct rounds rounds_of[MOST_THREADS];

static bool failed_round;
uint64_t seen_before; /* by the last operation on memory */

static void forget(struct rounds *rounds)
{
    private_forget((int)(rounds - rounds_of));
    rounds->places = rounds->reads = rounds->locks = 0;
    rounds->own = false;
    rounds->fence = 0;
    rounds->last.pc = NULL;
}

/* Also what an execution has left that was given up in the middle of an operation. */
void spin_begin(int thread)
{
    struct rounds *rounds = &rounds_of[thread];
    forget(rounds);
    rounds->operands = 0;
    rounds->compares = rounds->looked = false;
    rounds->point = rounds->situation = rounds->stand = 0;
}

void spin_effect(void)
{
    forget(&rounds_of[current->number]);
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
    struct rounds *rounds = &rounds_of[current->number];
    if (has_locked(rounds, mutex))
        return;
    if (rounds->locks == SPIN_PLACES)
        spin_effect();
    rounds->locked[rounds->locks++] = mutex;
}

void spin_unlocked(void)
{
    struct rounds *rounds = &rounds_of[current->number];
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
        if (i != current->number && thread_of(i)->life == LIVING && thread_of(i)->awaits &&
            has_locked(&rounds_of[i], mutex))
            rounds_are_missing();
}

static void check_tried(const struct rounds *rounds)
{
    for (int i = 0; i < rounds->locks; i++)
        if (mutex_tried(rounds->locked[i]))
            rounds_are_missing();
}

/* ---------------------------------------------------------------- what a round read */

static uint64_t value_at(const struct spin_read *read)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)read->from, read->size);
    return value;
}

/* One more of the reads of a round; NULL: too much to remember. */
static const struct spin_read *remember(uintptr_t from, size_t size, int space)
{
    struct rounds *rounds = &rounds_of[current->number];
    if (size > 8 || rounds->reads == SPIN_READS) {
        spin_effect();
        return NULL;
    }
    struct spin_read *read = &current->spin[rounds->reads++];
    *read = (struct spin_read){.from = from, .size = (uint8_t)size, .space = (uint8_t)space};
    read->value = space == MEMORY && history_decides() ? (uint64_t)cell_seen : value_at(read);
    return read;
}

void spin_look(uintptr_t from, size_t size)
{
    if (current->held) /* a round may do nothing else, until somebody writes it after all */
        remember(from, size, SPIN_PLAIN);
}

void spin_read(uintptr_t from, size_t size, int space)
{
    struct rounds *rounds = &rounds_of[current->number];
    const struct spin_read *read = remember(from, size, space);
    if (!read)
        return;
    /* SOUND: what plain memory decides is no matter of the location, and has to be read to be seen to race.  Over
     * execution graphs only atomic accesses have a source, and can be held back until there is another one. */
    rounds->last.pc = space == MEMORY && (!memory_model || history_decides()) ? current->operation.pc : NULL;
    rounds->last.nth = rounds->reads - 1;
    rounds->last.point = rounds->point;
    rounds->last.value = read->value;
}

bool program_failed_round(void)
{
    bool failed = failed_round;
    failed_round = false;
    return failed;
}

uint64_t program_seen(void) { return seen_before; }

bool spin_only_looks(void) { return rounds_of[current->number].last.pc; }

void spin_how(int how) { rounds_of[current->number].last.how = how; }

/* SOUND: a fence orders what its thread does before with what it does later.  Where the round is left out in which it
 * stands, less is ordered, so nothing is lost. */
void spin_fence(void) { rounds_of[current->number].fence = rounds_of[current->number].reads; }

/* Is there a fence in a round behind which no atomic read decides?  It was, or will be, seen to fail at the fence,
 * directly behind the read that does. */
static bool fails_at_fence(const struct rounds *rounds, int since)
{
    return rounds->fence > since && !(rounds->last.pc && rounds->last.nth >= rounds->fence);
}

void spin_expects(uint64_t expected, uint64_t wanted)
{
    struct rounds *rounds = &rounds_of[current->number];
    spin_operands(expected, wanted);
    rounds->compares = true;
    rounds->expected = expected;
}

void spin_operands(uint64_t first, uint64_t second)
{
    rounds_of[current->number].operands = mix(mix(1, first), second);
}

static bool changed(const struct thread *thread)
{
    if (thread->otherwise && !thread->otherwise(thread))
        return false;
    for (int i = thread->awaits - 1; memory_model && i < thread->spin_end; i++) /* SOUND: all of them, if it waits */
        history_look(thread->spin[i].from, thread->spin[i].size);
    for (int i = thread->awaits - 1; i < thread->spin_end; i++)
        if (value_at(&thread->spin[i]) != thread->spin[i].value)
            return true;
    return false;
}

/* ---------------------------------------------------------------- coming back */

/* SOUND: what it touches and its operands are in registers that the runtime has. */
static uint64_t state_of(struct rounds *rounds, void **entry)
{
    const struct operation *operation = &current->operation;
    uint64_t state = mix(local_state(entry, &rounds->own), rounds->operands);
    for (int i = 0; i < operation->spans; i++)
        state = mix(state, own_address(operation->span[i].from, &rounds->own));
    return state | 1; /* 0: not looked at */
}

/* The state and the way here since the last effect: all that decides whether a round fails. */
static uint64_t situation_of(const struct rounds *rounds, uint64_t state)
{
    uint64_t situation = mix(state, rounds->own ? current->self : 0);
    for (int i = 0; i < rounds->places; i++)
        situation = mix(mix(situation, (uint64_t)rounds->place[i].pc), rounds->place[i].state);
    return situation;
}

static bool has_one_location(const struct operation *operation)
{
    return operation->spans == 1 && operation->span[0].space == MEMORY && operation->span[0].size <= 8;
}

static bool is_in_loop(const struct rounds *rounds)
{
    for (int i = 0; i < rounds->places; i++)
        if (rounds->place[i].state)
            return true;
    return false;
}

/* Where the thread is in a round, also if its state does not count otherwise. */
static void find_situation(struct rounds *rounds, uint64_t state, void **entry)
{
    struct rounds here = *rounds;
    rounds->situation = rounds->stand = 0;
    const struct operation *operation = &current->operation;
    bool counts = has_one_location(operation) || operation->kind == OP_FENCE;
    if (!await_wanted || !memory_model || !counts || (!state && !is_in_loop(rounds)))
        return;
    uint64_t counted = state ? state : state_of(&here, entry);
    rounds->situation = private_number(situation_of(&here, counted), 1, entry[1]);
    here.places = 0;
    rounds->stand = private_number(mix(situation_of(&here, counted), (uint64_t)entry[1]), 2, entry[1]);
}

int program_situation(int thread, bool *straight)
{
    *straight = rounds_of[thread].straight;
    return thread_of(thread)->life == LIVING ? rounds_of[thread].situation : 0;
}

bool program_is_old(int situation) { return private_is_old(situation); }

bool program_leads(int situation, int next) { return private_leads(situation, next); }

int program_plain_reads(int thread, const struct spin_read **reads)
{
    int count = 0, end = rounds_of[thread].reads;
    const struct spin_read *read = thread_of(thread)->spin;
    while (count < end && read[end - count - 1].space == SPIN_PLAIN)
        count++;
    *reads = &read[end - count];
    return count < end && read[end - count - 1].space == MEMORY ? count : 0;
}

int program_stand(int thread) { return thread_of(thread)->life == LIVING ? rounds_of[thread].stand : 0; }

/* The pending operation is one that ended a failed round before. */
static void may_fail(struct rounds *rounds, uint64_t state)
{
    struct operation *operation = &current->operation;
    uint64_t situation = situation_of(rounds, state);
    rounds->point = await_point(memory_model ? private_count(situation) : situation, operation->pc);
    operation->waits = operation->span[0].decides = true;
    current->ready = not_held;
}

/* What was learnt makes this execution none. */
static void learn_level(const void *pc, enum await_level level)
{
    await_raise(pc, level);
    if (level == AWAIT)
        keep_order();
    learnt = true;
    abandon();
}

/* The last operation ended a failed round, which began with so many reads before it. */
static void learn_failure(const struct rounds *rounds, int since)
{
    if (!await_wanted || !rounds->last.pc || rounds->last.nth < since)
        return;
    enum await_level level = await_level_of(rounds->last.pc);
    if (level < AWAIT)
        learn_level(rounds->last.pc, AWAIT);
    if (level == AWAIT && rounds->last.point) {
        int reads = 0;
        for (int i = since; i <= rounds->last.nth; i++)
            reads += current->spin[i].space == MEMORY;
        await_learn(rounds->last.point, rounds->last.value, rounds->last.how, reads ? reads : 1);
        if (!rounds->locks)
            overlook(rounds->last.pc, &current->spin[since], rounds->last.nth - since + 1);
        failed_round = true;
    }
}

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
    int end = rounds_of[current->number].reads, spans = operation->spans;
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
    keep_order();
    operation->waits = true;
    current->otherwise = current->ready;
    current->ready = changed;
    current->awaits = (uint8_t)(since + 1);
    current->spin_end = (uint8_t)end;
    return true;
}

/* Does what was read since name atomic variables? */
static bool reads_atomics(int since)
{
    for (int i = since; i < rounds_of[current->number].reads; i++)
        if (current->spin[i].space == MEMORY)
            return true;
    return false;
}

/* The read of the same bytes that came before, since the last effect. */
static const struct spin_read *read_before(const struct spin_read *read)
{
    for (const struct spin_read *other = read; other-- > current->spin;)
        if (other->space == MEMORY && other->from == read->from && other->size == read->size)
            return other;
    return NULL;
}

/* Has the round seen something else than what was seen there before it?  SOUND: over execution graphs its thread never
 * sees the older write again, so there is an end to such rounds, and they need not be left out. */
static bool saw_a_change(int since)
{
    for (int i = since; i < rounds_of[current->number].reads; i++) {
        const struct spin_read *read = &current->spin[i];
        const struct spin_read *before = read->space == MEMORY ? read_before(read) : NULL;
        if (before && before->value != read->value)
            return true;
    }
    return false;
}

/* A round failed, and no single read decides that: what would end the wait is not explored. */
static void wait_unseen(void)
{
    learn_incomplete_at(
        "a loop waits for atomic variables and for something else: what comes behind it is not explored");
    stand_still();
}

static bool has_come_by(const struct rounds *rounds, const void *pc)
{
    for (int i = 0; i < rounds->places; i++)
        if (rounds->place[i].pc == pc)
            return true;
    return false;
}

/* A loop inside of a round comes by in several states. */
static struct place *place_of(struct rounds *rounds, const void *pc, uint64_t state)
{
    for (int i = 0; i < rounds->places; i++)
        if (rounds->place[i].pc == pc && (rounds->place[i].state == state || !rounds->place[i].state))
            return &rounds->place[i];
    return NULL;
}

/* The state counts from the second time on that a thread comes by without an effect, in all executions: locks are taken
 * often, and seldom to wait by looking. */
static uint64_t state_at(struct rounds *rounds, bool again, void **entry)
{
    enum await_level level = await_wanted ? await_level_of(entry[1]) : LOOP;
    if (level == NO_LOOP && again)
        learn_level(entry[1], LOOP);
    return level == NO_LOOP ? 0 : state_of(rounds, entry);
}

/* Is the thread back where it was, so that it has to wait?  Not inline: nothing of this is to lie in the frame of a
 * parked thread, where it would tell threads apart. */
static __attribute__((noinline)) void come_by(void **entry)
{
    struct rounds *rounds = &rounds_of[current->number];
    private_come(current->number);
    rounds->looked = false;
    uint64_t state = state_at(rounds, has_come_by(rounds, entry[1]), entry);
    struct place *place = place_of(rounds, entry[1], state);
    if (place)
        rounds->newest = (int)(place - rounds->place);
    /* SOUND: one that was held there and given back on the way must not be kept while waiting: others may need it. */
    bool kept = place && place->least >= current->held;
    bool failed =
        kept && state && place->state == state && place->reads < rounds->reads && !fails_at_fence(rounds, place->reads);
    int since = failed ? place->reads : 0;
    if (failed)
        learn_failure(rounds, since);
    if (failed && memory_model && await_wanted && !failed_round && saw_a_change(since))
        failed = false;
    if (await_wanted && state && await_level_of(entry[1]) == AWAIT && has_one_location(&current->operation))
        may_fail(rounds, state);
    find_situation(rounds, state, entry);
    rounds->straight = rounds->last.pc && rounds->last.nth == rounds->reads - 1;
    /* SOUND: the state of locks, and plain memory, is what it was in the last of the operations on the same objects,
     * also over execution graphs: whoever waits for a change of them waits as at a lock. */
    if (failed && memory_model && await_wanted && (failed_round || reads_atomics(since))) {
        if (!failed_round)
            wait_unseen();
        return;
    }
    if (failed && await(since)) {
        check_tried(rounds);
        return;
    }
    if (!place)
        place = &rounds->place[rounds->places < SPIN_PLACES ? rounds->places++ : 0];
    rounds->newest = (int)(place - rounds->place);
    *place = (struct place){entry[1], state, rounds->reads, current->held};
}

void perform_reading(void **entry)
{
    if (running)
        come_by(entry);
    rounds_of[current->number].operands = 0;
    perform();
    overlooked_leave(current->operation.pc); /* not `entry`: it would lie in the frame of a parked thread */
    rounds_of[current->number].compares = false;
    rounds_of[current->number].situation = rounds_of[current->number].stand = 0;
    if (current->awaits)
        spin_effect(); /* something is new */
}

/* SOUND: what decides whether rounds fail is a part of the state; where a thread stands now is compared elsewhere. */
static bool same_way(const struct thread *one, const struct thread *other)
{
    const struct rounds *a = &rounds_of[one->number], *b = &rounds_of[other->number];
    if (a->places != b->places)
        return false;
    for (int i = 0; i < a->places; i++) {
        bool stands = i == a->newest && i == b->newest && a->place[i].pc == one->operation.pc;
        if (a->place[i].pc != b->place[i].pc || (a->place[i].state != b->place[i].state && !stands))
            return false;
    }
    return true;
}

bool spin_alike(const struct renaming *renaming)
{
    for (int i = 0; i < now.threads && await_wanted; i++)
        if (renaming->to[i] != i && thread_of(i)->life == LIVING && !same_way(thread_of(i), thread_of(renaming->to[i])))
            return false;
    return true;
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
    for (int i = 0; i < rounds_of[current->number].reads; i++)
        if (current->spin[i].space == SPIN_PLAIN)
            learn_visible(current->spin[i].from, current->spin[i].size);
    if (learnt)
        abandon();
}
