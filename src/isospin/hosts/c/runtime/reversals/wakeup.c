#include "reversals/wakeup.h"

#include "explore/arena.h"

#include <string.h>

void sequence_add(struct sequence *sequence, uint32_t number, int choice)
{
    GROW(sequence->steps, sequence->room, sequence->count + 1);
    sequence->steps[sequence->count++] = (struct step){number, choice};
}

bool sequence_may_begin(const struct sequence *sequence, uint32_t number)
{
    const struct action *a = action(number);
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct action *other = action(sequence->steps[i].action);
        if (other->thread == a->thread)
            return true;
        if (dependent(&a->op, &other->op))
            return false;
    }
    return true;
}

static void take_out(struct sequence *sequence, unsigned i)
{
    memmove(sequence->steps + i, sequence->steps + i + 1, (--sequence->count - i) * sizeof *sequence->steps);
}

void sequence_leave_out(struct sequence *sequence, uint32_t number)
{
    unsigned i = sequence->count - 1;
    while (sequence->steps[i].action != number)
        i--;
    take_out(sequence, i);
}

bool sequence_begin(struct sequence *sequence, uint32_t number, int *choice)
{
    if (!sequence_may_begin(sequence, number))
        return false;
    int thread = action(number)->thread;
    *choice = ANY_CHOICE;
    for (unsigned i = 0; i < sequence->count; i++)
        if (action(sequence->steps[i].action)->thread == thread) {
            *choice = sequence->steps[i].choice;
            take_out(sequence, i);
            break;
        }
    return true;
}

/* ---------------------------------------------------------------- trees */

static struct branch **spare; /* in the arena, as what is in use */

void wakeup_open(void) { spare = arena_take(sizeof *spare); }

static struct branch *take_branch(uint32_t action, int after)
{
    struct branch *branch = *spare;
    if (branch)
        *spare = branch->next;
    else
        branch = arena_take(sizeof *branch);
    *branch = (struct branch){.action = action, .after = after};
    return branch;
}

void branch_give(struct branch *tree)
{
    while (tree) {
        struct branch *next = tree->next;
        branch_give(tree->below);
        tree->next = *spare;
        *spare = tree;
        tree = next;
    }
}

static struct branch *branch_of(const struct sequence *sequence, int choice)
{
    struct branch *first = NULL, **end = &first;
    for (unsigned i = 0; i < sequence->count; i++) {
        *end = take_branch(sequence->steps[i].action, choice);
        (*end)->ends = sequence->ends && i + 1 == sequence->count;
        choice = sequence->steps[i].choice;
        end = &(*end)->below;
    }
    return first;
}

void branch_extend(struct branch **tree, int choice, bool ends, struct sequence *sequence)
{
    if (!*tree && ends)
        return;
    for (; *tree; tree = &(*tree)->next) {
        int next;
        if ((*tree)->after == choice && sequence_begin(sequence, (*tree)->action, &next)) {
            branch_extend(&(*tree)->below, next, (*tree)->ends, sequence);
            return;
        }
    }
    *tree = branch_of(sequence, choice);
}
