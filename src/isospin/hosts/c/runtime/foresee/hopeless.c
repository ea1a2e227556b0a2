#include "foresee/hopeless.h"

#include "await/await.h"
#include "foresee/seen/beginnings.h"
#include "foresee/seen/rounds.h"
#include "graphs/unordered/registers.h"

/* A read, and the one that follows it if it sees a value. */
struct step {
    const struct graph_event *read, *next;
    int situation; /* of the next one */
    uint64_t value;
};

/* How many reads does a round have that fails with a value at the next read?  0: that is not known.  SOUND: who does
 * the same as with another value, and came the same way, comes back as with that. */
static int reads_of_failure(const struct step *step, uint64_t value)
{
    uint64_t other;
    int reads = await_reads(step->next->point, value);
    for (unsigned i = 0; !reads && await_failure(step->next->point, i, &other); i++)
        if (goes_the_same_way(step->situation, value, other))
            reads = await_reads(step->next->point, other);
    return reads;
}

/* Does the next read never get further with a value than back to the first one? */
static bool leads_back(const struct step *step, uint64_t value)
{
    int reads = reads_of_failure(step, value), how;
    return reads > 1 || (reads == 1 && (value == step->value || await_fails(step->read->point, value, &how)));
}

/* With each value that was ever written. */
static bool writes_lead_back(const struct step *step)
{
    uint32_t roots[MOST_THREADS];
    find_beginnings(&(struct graph){0}, roots);
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count = 0;
        const struct to_come *writes = roots[t] ? writes_after(roots[t], &count) : NULL;
        if (!roots[t])
            return false;
        for (unsigned i = 0; i < count; i++)
            if (writes[i].variable == step->next->variable && !leads_back(step, writes[i].value))
                return false;
    }
    return leads_back(step, (uint64_t)step->next->initial);
}

static bool is_hopeless(const struct step *step)
{
    uint64_t value;
    for (unsigned i = 0; await_failure(step->next->point, i, &value); i++)
        if (!leads_back(step, value))
            return false;
    return leads_back(step, step->value) && writes_lead_back(step);
}

/* The step from a situation with the nth value that was seen there; false: it is none of which anything is concluded.
 */
static bool find_step(struct step *step, int situation, unsigned nth)
{
    int how;
    step->read = read_in(situation);
    if (!step->read->point || !value_seen_in(situation, nth, &step->value))
        return false;
    step->situation = next_of(situation, step->value);
    step->next = step->situation ? read_in(step->situation) : NULL;
    return step->next && step->next->point && step->next->variable == step->read->variable &&
           !is_unordered(step->read->variable) && object_size(step->read->variable) <= sizeof step->value &&
           !await_fails(step->read->point, step->value, &how) && await_accessed(step->read->pc, &how);
}

/* SOUND: nobody writes anything else from the beginning on. */
static void rely(int situation)
{
    uint32_t roots[MOST_THREADS];
    find_beginnings(&(struct graph){0}, roots);
    for (int t = 0; t < program_threads_ever(); t++)
        rely_on(roots[t], situation);
}

/* Conclude what follows directly; or say only whether anything does. */
static bool conclude(bool only_asked)
{
    bool found = false;
    uint64_t value;
    for (int s = 1; s <= situations_ever(); s++)
        for (unsigned i = 0; value_seen_in(s, i, &value); i++) {
            struct step step;
            int how;
            if (!find_step(&step, s, i) || !is_hopeless(&step))
                continue;
            found = true;
            if (only_asked)
                return true;
            await_accessed(step.read->pc, &how);
            await_conclude(step.read->point, step.value, how);
            rely(step.situation);
        }
    return found;
}

void conclude_failures(void)
{
    while (conclude(false))
        ;
}

bool is_more_to_conclude(void)
{
    static uint32_t looked;
    if (looked == rounds_known())
        return false;
    looked = rounds_known();
    return conclude(true);
}
