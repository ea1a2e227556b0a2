#include "reversals/wanted.h"

#include "await/await.h"
#include "explore/arena.h"

#include <string.h>

static void give_branches(struct wanted *wanted, thread_set threads)
{
    FOR_EACH (t, threads & wanted->deep)
        branch_give(wanted->below[t]);
    wanted->deep &= ~threads;
    wanted->ends &= ~threads;
}

struct branch *wanted_below(const struct wanted *wanted, int thread)
{
    return wanted->deep & only(thread) ? wanted->below[thread] : NULL;
}

/* What comes after the first action of a thread. */
static void extend(struct wanted *wanted, int thread, int choice, struct sequence *sequence)
{
    struct branch *below = wanted_below(wanted, thread);
    branch_extend(&below, choice, wanted->ends & only(thread), sequence);
    wanted->below[thread] = below;
    wanted->deep |= below ? only(thread) : 0;
}

bool wanted_insert(struct wanted *wanted, const uint32_t *actions, struct sequence *sequence, struct doubt doubt)
{
    int choice, thread = -1;
    for (int i = 0; thread < 0 && i < wanted->count; i++)
        if (sequence_begin(sequence, actions[wanted->list[i]], &choice))
            thread = wanted->list[i];
    bool is_new = thread < 0;
    if (is_new) {
        thread = action(sequence->steps[0].action)->thread;
        sequence_begin(sequence, actions[thread], &choice);
        wanted->ends |= sequence->ends && !sequence->count ? only(thread) : 0;
    }
    wanted_add(wanted, thread, doubt);
    extend(wanted, thread, choice, sequence);
    return is_new;
}

void wanted_clear(struct wanted *wanted)
{
    give_branches(wanted, ~(thread_set)0);
    wanted->threads = wanted->certain = 0;
    wanted->count = 0;
    wanted->doubt_count = 0;
}

bool wanted_has(const struct wanted *wanted, int thread, struct doubt doubt)
{
    if (wanted->certain & only(thread))
        return true;
    for (unsigned i = 0; i < wanted->doubt_count; i++)
        if (wanted->doubts[i].thread == thread && wanted->doubts[i].doubt.await == doubt.await &&
            wanted->doubts[i].doubt.value == doubt.value)
            return true;
    return false;
}

void wanted_add(struct wanted *wanted, int thread, struct doubt doubt)
{
    if (!(wanted->threads & only(thread)))
        wanted->list[wanted->count++] = (uint8_t)thread;
    wanted->threads |= only(thread);
    if (!doubt.await)
        wanted->certain |= only(thread);
    if (wanted_has(wanted, thread, doubt))
        return;
    GROW(wanted->doubts, wanted->doubt_room, wanted->doubt_count + 1);
    wanted->doubts[wanted->doubt_count].doubt = doubt;
    wanted->doubts[wanted->doubt_count++].thread = thread;
}

/* Why those were wanted whose turn was earlier. */
static void forget_old(struct wanted *wanted)
{
    unsigned left = 0;
    for (unsigned i = 0; i < wanted->doubt_count; i++)
        if (wanted->threads & only(wanted->doubts[i].thread))
            wanted->doubts[left++] = wanted->doubts[i];
    wanted->doubt_count = left;
    wanted->certain &= wanted->threads;
    give_branches(wanted, ~wanted->threads);
}

void wanted_take(struct wanted *wanted)
{
    forget_old(wanted);
    wanted->threads &= ~only(wanted->list[0]);
    memmove(wanted->list, wanted->list + 1, (size_t)--wanted->count);
}

void wanted_keep_first(struct wanted *wanted)
{
    wanted->threads = only(wanted->list[0]);
    wanted->count = 1;
    forget_old(wanted);
}

bool wanted_is_needed(const struct wanted *wanted, int thread)
{
    int how;
    if (wanted->certain & only(thread))
        return true;
    for (unsigned i = 0; i < wanted->doubt_count; i++) {
        struct doubt doubt = wanted->doubts[i].doubt;
        if (wanted->doubts[i].thread == thread && !await_fails(doubt.await, doubt.value, &how))
            return true;
    }
    return false;
}
