#include "await/overlooked.h"

#include "await/await.h"
#include "explore/arena.h"
#include "graphs/history.h"
#include "runtime.h"

#include <string.h>

enum { MOST_OVERLOOKED = 4096 };

static struct overlooks {
    unsigned count;
    unsigned runs, learnt; /* of this search; those until more was learnt, or 0 */
    struct overlooked {
        const void *place;
        struct spin_read read;
        struct spin_read guard; /* the atomic read that led to it; no size: none did */
        bool there; /* in this execution, that was to be seen */
    } all[MOST_OVERLOOKED];
} *overlooks;

void overlooked_open(void) { overlooks = arena_take(sizeof *overlooks); }

uint64_t overlooked_known(void) { return overlooks->count; }

bool overlooked_anew(bool at_end)
{
    if (!overlooks->learnt || (!at_end && overlooks->runs < 2 * overlooks->learnt))
        return false;
    overlooks->runs = overlooks->learnt = 0;
    return true;
}

static bool are_same(const struct spin_read *one, const struct spin_read *other)
{
    return one->from == other->from && one->size == other->size && one->value == other->value;
}

static bool is_known(const struct overlooked *new)
{
    for (unsigned i = 0; i < overlooks->count; i++) {
        const struct overlooked *old = &overlooks->all[i];
        if (old->place == new->place && old->read.from == new->read.from && old->read.size == new->read.size &&
            are_same(&old->guard, &new->guard))
            return true;
    }
    return false;
}

static void learn(const struct overlooked *new)
{
    overlooks->all[overlooks->count++] = *new;
    if (!overlooks->learnt)
        overlooks->learnt = overlooks->runs;
}

void overlook(const void *place, const struct spin_read *reads, int count)
{
    struct spin_read guard = {0};
    for (int i = 0; i < count; i++) {
        struct overlooked new = {.place = place, .read = reads[i], .guard = guard};
        if (reads[i].space == MEMORY)
            guard = reads[i];
        if (reads[i].space != SPIN_PLAIN || is_known(&new))
            continue;
        if (overlooks->count == MOST_OVERLOOKED)
            learn_incomplete_at("a loop that waits reads too much memory in rounds that fail");
        else
            learn(&new);
    }
}

static uint64_t value_now(const struct spin_read *read)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)read->from, read->size);
    return value;
}

void overlooked_begin(void)
{
    overlooks->runs++;
    for (unsigned i = 0; i < overlooks->count; i++)
        overlooks->all[i].there = !overlooks->all[i].guard.size;
    overlooked_look();
}

/* Over execution graphs it is known what was written when somebody asks. */
void overlooked_look(void)
{
    for (unsigned i = 0; !memory_model && i < overlooks->count; i++) {
        struct overlooked *o = &overlooks->all[i];
        o->there = o->there || (reset_covers(o->guard.from, o->guard.size) && value_now(&o->guard) == o->guard.value);
    }
}

static bool is_there(const struct overlooked *o)
{
    return o->there || (memory_model && history_had(o->guard.from, o->guard.size, o->guard.value));
}

void overlooked_leave(const void *place)
{
    if (!overlooks->count || await_level_of(place) != AWAIT)
        return;
    for (unsigned i = 0; i < overlooks->count; i++) {
        const struct overlooked *o = &overlooks->all[i];
        if (o->place == place && is_there(o) && is_alive(o->read.from, o->read.size))
            race_note(current->number, o->read.from, o->read.size, RACE_READ | RACE_HELD, place);
    }
}
