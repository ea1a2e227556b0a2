/* Operations that are held back, since a round of a loop is known to fail with them.
 *
 * Reference: Kokologiannakis, Ren, Vafeiadis, FMCAD 2021 (spin-assume).
 * Differs: an operation waits for a value with which no round has failed yet, in the same situation.
 */
#include "runtime.h"

#include "await/await.h"
#include "await/rounds_of.h"
#include "graphs/history.h"

#include <string.h>

static uint64_t value_of(const struct span *span)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)span->from, span->size);
    return value;
}

/* A compare-and-exchange that would fail now only reads.  SOUND: whether it does is decided by what is in memory, and
 * whoever writes that is dependent on a read, too; until then it is the same letter of the thread.  Where an order is
 * reversed, it may turn out to write: trail.c allows for it. */
void spin_outcome(struct thread *thread)
{
    const struct rounds *rounds = &rounds_of[thread->number];
    struct operation *operation = &thread->operation;
    if (rounds->compares && operation->kind == OP_UPDATE && operation->span[0].size <= 8)
        operation->span[0].writes = !await_wanted || value_of(operation->span) == rounds->expected;
}

static bool is_held(const struct thread *thread, int *how)
{
    if (memory_model) /* who searches over graphs decides that, and could have let it read before */
        return await_wanted && await_failed(rounds_of[thread->number].point, how);
    int point = rounds_of[thread->number].point;
    return await_wanted && await_fails(point, value_of(thread->operation.span), how);
}

bool not_held(const struct thread *thread)
{
    int how;
    return memory_model || !is_held(thread, &how);
}

static bool may_be_held(const struct thread *thread)
{
    return thread->life == LIVING && (thread->ready == not_held || (thread->awaits && thread->otherwise == not_held));
}

int program_await(int thread) { return may_be_held(thread_of(thread)) ? rounds_of[thread].point : 0; }

thread_set program_held(void)
{
    thread_set held = 0;
    int how;
    for (int i = 0; i < now.threads && await_wanted; i++)
        if (program_pending(i) && may_be_held(thread_of(i)) && is_held(thread_of(i), &how))
            held |= (thread_set)1 << i;
    return held;
}

thread_set program_would_go_on(void)
{
    thread_set found = 0;
    await_wanted = false;
    for (int i = 0; i < now.threads; i++)
        if (program_enabled(i))
            found |= (thread_set)1 << i;
    await_wanted = true;
    return found;
}

int program_round_steps(int thread)
{
    const struct span *span = thread_of(thread)->operation.span;
    if (memory_model)
        history_look(span->from, span->size);
    return await_is_concluded(rounds_of[thread].point, value_of(span)) ? 2 : 1;
}

void program_fail_round(int thread)
{
    await_wanted = false;
    program_step(thread, 0);
    await_wanted = true;
}

/* Rounds have to be executed there: something races with what they read. */
static void learn_no_await(const void *pc)
{
    await_raise(pc, NO_AWAIT);
    learnt = true;
}

void await_raced(const struct race *race)
{
    if (race->how & RACE_HELD)
        learn_no_await(race->pc);
    if (race->other_how & RACE_HELD)
        learn_no_await(race->other_pc);
}

/* SOUND: a thread that is held back could read its location now, in a round that fails; so this counts as an access
 * when races are looked for.  Once is enough, since it knows no more while it waits: whoever comes later races with
 * what is noted here (but where a block is given out again, and what was noted of it is forgotten).  A race that is
 * found with it is not told: from then on rounds are executed there. */
void await_look(void)
{
    struct race race;
    for (int i = 0; i < now.threads && await_wanted; i++) {
        const struct thread *thread = thread_of(i);
        const struct operation *operation = &thread->operation;
        int how;
        if (rounds_of[i].looked || !may_be_held(thread) || !is_held(thread, &how))
            continue;
        rounds_of[i].looked = !program_options.reuse;
        if (race_access(i, operation->span[0].from, operation->span[0].size, how | RACE_HELD, operation->pc, &race))
            await_raced(&race);
    }
}
