/* Reference: docs/develop/decisions/bystander.md.
 * Differs: -.  SOUND, see bystander.h: let an execution that was left out be the image of one that was explored, under
 * renamings that were found good.  While others live, main reads and writes only what these fix, or waits for all
 * others by names that only it has: it does the same in both.  When the others have ended, the memory that main can
 * still read is fixed by each of these renamings, so it is the same in both, and so is all that follows.
 * What counts for a renaming are only the steps of main from where the renaming was found first; if one is found later
 * than an execution that it concerns, the search starts again, and knows it from the start.
 */
#include "runtime.h"

#include "symmetry/bystander.h"

#include "explore/arena.h"
#include "graphs/history.h"
#include "symmetry/alike.h"

#include <string.h>

enum { MOST_WATCHED = 64, MOST_LOST = 4096, MOST_REFUSED = 6, MOST_WRITTEN = 64 };

static struct {
    uint64_t after; /* so many steps: before that it did what a bystander does not do */
    int refused;    /* how often that was found out */
    int count;
    long long lost; /* executions of searches that had to start again */
    struct watched list[MOST_WATCHED];
} *by; /* in the memory of the search: a reset does not touch it, and all processes share it */

bool main_stands_by, main_waits;
int watched_count;

static struct {
    uint64_t steps; /* that main has made */
    uint64_t done;  /* renamings whose threads have ended, and left behind what they fix */
    bool alone;     /* main was alone when its step began, or is so behind the joins with which it begins */
    bool named;     /* main has read a name that moves, in this step */
    int written;    /* what it has written in this step, while others live; more than there is room for: too much */
    struct {
        uintptr_t from;
        size_t size;
    } writes[MOST_WRITTEN];
} execution;

void bystander_open(void) { by = arena_take(sizeof *by); }

void bystander_reset(void)
{
    memset(&execution, 0, sizeof execution);
    watched_count = by ? by->count : 0;
}

/* A vector of threads that grows, say, moves their names while some of them live already: then main is a bystander
 * later, if at all.  Each time the search starts again. */
static void refuse(void)
{
    by->after = ++by->refused == MOST_REFUSED ? UINT64_MAX : execution.steps;
    by->count = 0;
    learnt = true;
}

bool bystander_may(void)
{
    const struct thread *main = thread_of(0);
    return by && execution.steps >= by->after && by->count < MOST_WATCHED && main->life == LIVING && has_begun(main) &&
           main->operation.kind != OP_CREATE;
}

/* ---------------------------------------------------------------- renamings */

bool bystander_goes_with(const struct renaming *renaming)
{
    for (int i = 0; by && i < by->count; i++)
        if (numbers_change() || !renaming_is_part(renaming, &by->list[i].renaming))
            return false;
    return true;
}

static bool same_numbers(const struct watched *one, const struct watched *other)
{
    if (one->changed != other->changed)
        return false;
    for (int i = 0; i < one->changed; i++)
        if (memcmp(&one->numbers[i], &other->numbers[i], sizeof one->numbers[i]))
            return false;
    return true;
}

static struct watched *known(const struct watched *new)
{
    for (int i = 0; i < by->count; i++)
        if (renaming_equal(&by->list[i].renaming, &new->renaming) && same_numbers(&by->list[i], new))
            return &by->list[i];
    return NULL;
}

static struct changed_numbers *values_of(struct watched *w, uint64_t carrier)
{
    for (int i = 0; i < w->relied; i++)
        if (w->values[i].carrier == carrier)
            return &w->values[i];
    return NULL;
}

static bool has_value(const struct changed_numbers *values, uintptr_t value)
{
    for (int i = 0; i < values->count; i++)
        if (values->one[i] == value)
            return true;
    return false;
}

static bool is_part(const struct changed_numbers *values, const struct changed_numbers *others)
{
    for (int i = 0; i < values->count; i++)
        if (!has_value(others, values->one[i]))
            return false;
    return true;
}

static void keep_common(struct changed_numbers *values, const struct changed_numbers *others)
{
    int kept = 0;
    for (int i = 0; i < values->count; i++)
        if (has_value(others, values->one[i]))
            values->one[kept++] = values->one[i];
    values->count = kept;
}

/* SOUND: a renaming may be found in several states, for other values each time; main keeps to those that are good in
 * all of them. */
static void narrow(struct watched *old, const struct watched *new)
{
    for (int i = 0; i < new->relied && old->relied >= 0; i++) {
        struct changed_numbers *values = values_of(old, new->values[i].carrier);
        if (values)
            keep_common(values, &new->values[i]);
        else if (old->relied == MOST_RELIED)
            old->relied = -1;
        else
            old->values[old->relied++] = new->values[i];
    }
    if (new->relied < 0)
        old->relied = -1;
}

/* Does main keep to all that is wanted now, since it keeps to what was wanted before? */
static bool is_kept(struct watched *old, const struct watched *new)
{
    if (old->from > new->from || (new->relied < 0 && old->relied >= 0))
        return false;
    for (int i = 0; i < new->relied && old->relied >= 0; i++) {
        const struct changed_numbers *values = values_of(old, new->values[i].carrier);
        if (!values || !is_part(values, &new->values[i]))
            return false;
    }
    return true;
}

bool bystander_keep(const struct renaming *renaming)
{
    static struct watched new;
    memset(&new, 0, sizeof new);
    new.renaming = *renaming;
    new.from = execution.steps < by->after ? by->after : execution.steps;
    new.changed = numbers_changed(new.numbers, MOST_CHANGED);
    new.relied = numbers_relied_on(new.values, MOST_RELIED, renaming);
    if (new.changed < 0)
        return false;
    struct watched *old = known(&new);
    if (old && is_kept(old, &new))
        return true;
    /* What is found late costs more than it saves. */
    if (by->count == MOST_WATCHED || by->lost > MOST_LOST)
        return false;
    if (old)
        narrow(old, &new);
    if (!old)
        by->list[by->count++] = new;
    else if (old->from > new.from)
        old->from = new.from;
    return learnt = true;
}

void alike_lost(long long executions) { by->lost += executions; }

/* ---------------------------------------------------------------- what main does while others live */

static bool is_born(const struct watched *w)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (w->renaming.to[t] != t && (t >= now.threads || thread_of(t)->life == UNBORN))
            return false;
    return true;
}

/* Does it count for the step of main that is being made? */
static bool counts(int i)
{
    return !(execution.done >> i & 1) && execution.steps > by->list[i].from && is_born(&by->list[i]);
}

static thread_set living(void)
{
    thread_set others = 0;
    for (int t = 1; t < now.threads; t++)
        if (thread_of(t)->life == LIVING)
            others |= (thread_set)1 << t;
    return others;
}

/* SOUND: over execution graphs, that others have ended says nothing, unless main knows all that they did. */
static bool is_alone(void) { return memory_model ? race_alone(0) : !living(); }

/* SOUND: over execution graphs, main is alone when its joins are done, and goes on in the same step: what is left
 * behind is looked at before it.  If it gets to be alone in a step by something else, that is not believed. */
static bool begins_alone(void)
{
    const struct operation *op = &thread_of(0)->operation;
    return is_alone() || (memory_model && op->kind == OP_JOIN && race_alone_behind(0, op->joins));
}

static bool moves(const struct renaming *renaming, uintptr_t from, size_t size)
{
    if (renaming_image(renaming, from) != from || renaming_image(renaming, from + size - 1) != from + size - 1)
        return true;
    for (int i = 0; i < renaming->count; i++)
        if (renaming->cells[i].from < from + size && from < renaming->cells[i].from + renaming->cells[i].size)
            return true;
    return false;
}

/* Is there a number in these bytes, of a variable, a block or a frame of another thread, that would be another one? */
static bool holds_number(const struct watched *w, uintptr_t from, size_t size)
{
    for (uintptr_t at = from & ~(uintptr_t)7; w->changed && at < from + size;) {
        size_t part;
        uint64_t carrier = numbers_carrier(at, from + size - at + 8, &part);
        for (int i = 0; i < w->changed && carrier; i++)
            if (w->numbers[i].carrier == carrier && at + part > from)
                return true;
        at += part ? part : 1;
    }
    return false;
}

/* Is there a name in these bytes of something that moves? */
static bool holds_name(const struct watched *w, uintptr_t from, size_t size)
{
    for (uintptr_t at = from & ~(uintptr_t)7; at < from + size; at += sizeof at)
        if (renaming_word(&w->renaming, word_at(at, sizeof at)) != word_at(at, sizeof at))
            return true;
    return false;
}

/* SOUND: what only main accesses, in all executions and their images, is the same in both. */
static void main_meets(const struct watched *w, uintptr_t from, size_t size, bool writes)
{
    if (!writes && race_private(0, from, size, &w->renaming)) {
        execution.named = true;
        return;
    }
    if (current->joining && !writes)
        learn_shared(from, size); /* after the joins, from the next execution on */
    else
        refuse();
    if (learnt)
        abandon();
    refuse();
    abandon();
}

static void note_write(uintptr_t from, size_t size)
{
    if (execution.written < MOST_WRITTEN) {
        execution.writes[execution.written].from = from;
        execution.writes[execution.written].size = size;
    }
    execution.written++;
}

static bool is_free_to_hold(const struct watched *w, uint64_t carrier, uintptr_t value)
{
    if (w->relied < 0)
        return false;
    for (int i = 0; i < w->relied; i++)
        if (w->values[i].carrier == carrier)
            return has_value(&w->values[i], value);
    for (int i = 0; i < w->changed; i++)
        if (w->numbers[i].carrier == carrier)
            return false;
    return true;
}

/* Is what main has written the same under the renaming, and one of the values for which the rules hold?  The step is
 * over: others see nothing of what was there in between. */
static bool is_harmless(const struct watched *w, uintptr_t from, size_t size)
{
    if (holds_name(w, from, size))
        return false;
    size_t part;
    for (uintptr_t at = from & ~(uintptr_t)7; at < from + size && (w->changed || w->relied); at += part ? part : 1) {
        uint64_t carrier = numbers_carrier(at, from + size - at + 8, &part);
        if (carrier && at + part > from && !is_free_to_hold(w, carrier, word_at(at, part)))
            return false;
    }
    return true;
}

static bool writes_are_harmless(const struct watched *w)
{
    if (execution.written > MOST_WRITTEN)
        return false;
    for (int i = 0; i < execution.written; i++)
        if (!is_harmless(w, execution.writes[i].from, execution.writes[i].size))
            return false;
    return true;
}

void bystander_access(uintptr_t from, size_t size, bool writes)
{
    bool by_main = current->number == 0;
    if (!size || !running || (!by_main && !(writes && in_stack(from, 0))) || (by_main ? execution.alone : is_alone()))
        return;
    bool noted = false;
    for (int i = 0; i < watched_count; i++) {
        const struct watched *w = &by->list[i];
        if (!counts(i))
            continue;
        if (by_main) {
            if (moves(&w->renaming, from, size) || (!in_stack(from, 0) && holds_number(w, from, size)))
                main_meets(w, from, size, writes);
            noted |= writes;
        } else if (w->changed && !renaming_move(&w->renaming, from)) { /* a number may get into a frame of main */
            refuse();
            abandon();
        }
    }
    if (noted)
        note_write(from, size);
    if (by_main && execution.named && writes && !in_stack(from, 0)) {
        refuse();
        abandon();
    }
}

/* SOUND: a place that stays may name one of those that move, and main would read another name in the image. */
void bystander_reads(uintptr_t from, size_t size)
{
    if (!size || !running || current->number != 0 || execution.alone)
        return;
    for (int i = 0; i < watched_count; i++)
        if (counts(i) && holds_name(&by->list[i], from, size))
            main_meets(&by->list[i], from, size, false);
}

/* SOUND: what main does is watched, but not what is done by threads that it starts. */
void bystander_starts(void)
{
    bool alone = current->number != 0 || execution.alone;
    for (int i = 0; i < watched_count && !alone; i++)
        if (counts(i)) {
            refuse();
            abandon();
        }
}

/* Does the renaming fix what main is about to do? */
static bool fixes(const struct renaming *renaming, const struct operation *op)
{
    if (renaming_of_set(renaming, op->joins) != op->joins)
        return false;
    for (int i = 0; i < op->spans; i++)
        if (op->span[i].space == ENDS ? renaming->to[op->span[i].from] != op->span[i].from
                                      : moves(renaming, op->span[i].from, op->span[i].size))
            return false;
    return true;
}

bool bystander_waits(void)
{
    const struct operation *op = program_pending(0);
    thread_set others = living();
    return is_alone() || (op && op->kind == OP_JOIN && (op->joins & others) == others);
}

bool bystander_after(void)
{
    const struct operation *op = program_pending(0);
    bool fine = !execution.named || bystander_waits();
    for (int i = 0; i < watched_count && !execution.alone; i++)
        fine &= !counts(i) || ((!op || fixes(&by->list[i].renaming, op)) && writes_are_harmless(&by->list[i]));
    execution.named = false;
    if (!fine)
        refuse();
    return fine;
}

/* What it is about to do was announced in the step before. */
static void note_writes_of(const struct operation *op)
{
    execution.written = 0;
    for (int i = 0; i < op->spans; i++)
        if (op->span[i].space == MEMORY && op->span[i].writes)
            note_write(op->span[i].from, op->span[i].size);
}

/* ---------------------------------------------------------------- when the others have ended */

bool bystander_before(void)
{
    execution.alone = begins_alone();
    for (int i = 0; i < watched_count && execution.alone; i++) {
        const struct watched *w = &by->list[i];
        if (execution.done >> i & 1 || execution.steps < w->from || !is_born(w))
            continue;
        if (!alike_left_behind(w)) {
            execution.steps++; /* and not in this state */
            refuse();
            return false;
        }
        execution.done |= (uint64_t)1 << i;
    }
    execution.steps++;
    note_writes_of(&thread_of(0)->operation);
    return true;
}
