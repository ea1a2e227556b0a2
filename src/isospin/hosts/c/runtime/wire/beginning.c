/* Which threads are alike where main has started them and none of them has moved.
 *
 * The same as ../../telling/unlike.py asks from outside.  Who has searched the program knows all that is needed, and a
 * process of its own that is asked would take longer than most searches.
 */
#include "wire/beginning.h"

#include "explore/program.h"
#include "graphs/history.h"
#include "numbers/numbers.h"
#include "race/race.h"
#include "runtime.h"
#include "symmetry/alike.h"
#include "wire/message.h"

enum { MOST_STEPS = 20000, MOST_COMPARED = 12 }; /* as there */

/* Who is to go on; -1: nobody. */
static int next_to_run(int thread)
{
    for (int t = 0; thread < 0 && t < program_threads(); t++)
        if (program_pending(t) && program_enabled(t))
            return t;
    const struct operation *op = thread < 0 ? NULL : program_pending(thread);
    return op && op->kind != OP_JOIN && op->kind != OP_END && program_enabled(thread) ? thread : -1;
}

const struct finding *run_steps(int thread, long most)
{
    const struct finding *found = NULL;
    for (int next; most > 0 && !found && (next = next_to_run(thread)) >= 0; most--) {
        history_begin_step();
        found = program_step(next, 0);
    }
    return found;
}

static void tell_renaming(const struct renaming *renaming)
{
    message_list("threads");
    for (int t = 0; t < MOST_THREADS; t++)
        if (renaming->to[t] != t) {
            message_item(t);
            message_item(renaming->to[t]);
        }
    message_list_end();
    message_list("cells");
    for (int i = 0; i < renaming->count; i++) {
        message_item((long long)renaming->cells[i].from);
        message_item((long long)renaming->cells[i].to);
        message_item((long long)(renaming->cells[i].size + renaming->cells[i].past));
    }
    message_list_end();
}

void tell_alike(int a, int b)
{
    struct renaming found;
    bool answer = alike(a, b, &found);
    if (!answer)
        alike_explain();
    message_begin(MESSAGE_ALIKE);
    message_number("answer", answer);
    if (answer)
        tell_renaming(&found);
    message_text("difference", answer || !alike_difference() ? "" : alike_difference());
    message_number("rule", answer ? 0 : (long long)broken_rule.at);
    message_number("carrier", (long long)broken_rule.carrier);
    message_number("one", (long long)broken_rule.one);
    message_number("other", (long long)broken_rule.other);
    message_number("where", (long long)broken_rule.where);
    message_number("again", race_learnt());
    message_end();
}

static int others(int list[MOST_COMPARED])
{
    int count = 0;
    for (int t = 1; t < program_threads() && count < MOST_COMPARED; t++)
        if (program_pending(t))
            list[count++] = t;
    return count;
}

/* The last one before it that was started with the same function; -1: it is the first. */
static int one_before(const int *list, int at)
{
    for (int i = at - 1; i >= 0; i--)
        if (thread_of(list[i])->start == thread_of(list[at])->start)
            return list[i];
    return -1;
}

static bool exchanges_two(const struct renaming *renaming)
{
    int moved = 0;
    for (int t = 0; t < MOST_THREADS; t++)
        moved += renaming->to[t] != t;
    return moved == 2;
}

/* Each two that were started with the same function, in order. */
static void tell_pairs(const int *list, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (thread_of(list[i])->start == thread_of(list[j])->start)
                tell_alike(list[i], list[j]);
}

static bool all_exchange(const int *list, int count)
{
    struct renaming found;
    for (int i = 0; i < count; i++) {
        int before = one_before(list, i);
        if (before >= 0 && (!alike(before, list[i], &found) || !exchanges_two(&found)))
            return false;
    }
    return true;
}

void program_families(void)
{
    int list[MOST_COMPARED];
    if (memory_model || program_options.forked || program_needs_fork())
        return;
    program_restart();
    if (run_steps(0, MOST_STEPS) || program_cut_off)
        return;
    int count = others(list);
    bool good = all_exchange(list, count);
    message_begin(MESSAGE_FAMILIES);
    message_number("exchanged", good);
    message_list("threads");
    for (int i = 0; i < count; i++) {
        message_item(list[i]);
        message_item((long long)(uintptr_t)thread_of(list[i])->start);
    }
    message_list_end();
    message_end();
    if (!good)
        tell_pairs(list, count);
}
