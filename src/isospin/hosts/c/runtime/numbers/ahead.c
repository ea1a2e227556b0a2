#include "runtime.h"

#include "numbers/ahead.h"

#include "symmetry/bystander.h"
#include "symmetry/scene.h"

#include <string.h>

struct ahead ahead;

/* ---------------------------------------------------------------- rules */

/* What a bystander does need not be symmetric, but it reads memory. */
static void note_reading(const struct rule *rule)
{
    ahead.read |= rule->kind == RULE_WILD;
    for (unsigned i = 0; i < rule->leaf_count; i++)
        held_by(rule->leaves[i])->read_at = program_views + 1;
}

static void note_rule(const struct rule *rule)
{
    if (ahead.count == MOST_RULES || rule->kind == RULE_OPAQUE) {
        ahead.opaque = true;
        ahead.opaque_at = rule->at;
    } else {
        ahead.rules[ahead.count++] = rule;
    }
    if (rule->kind == RULE_WILD || rule->kind == RULE_UNSEEN) {
        ahead.wild = true;
        ahead.wild_at = rule->at;
    }
    for (unsigned i = 0; i < rule->leaf_count; i++)
        held_by(rule->leaves[i])->read_at = program_views + 1;
    for (unsigned i = 0; rule->kind == RULE_PIN && i < rule->object_count; i++)
        ahead.pinned[rule->objects[i] / 64] |= (uint64_t)1 << rule->objects[i] % 64;
}

static bool by_bystander; /* it is his code that is taken in */
static uintptr_t unseen; /* the last instruction that has a rule of that kind: it is the first one of those that it has
                          */

static void note(const struct rule *rule)
{
    if (rule->kind == RULE_UNSEEN)
        unseen = rule->at;
    /* SOUND: what libraries do with what they are given is not watched. */
    if (by_bystander && rule->at != unseen && rule->kind != RULE_OPAQUE)
        note_reading(rule);
    else
        note_rule(rule);
}

/* ---------------------------------------------------------------- code */

/* Which parts of which functions were taken in already: in the state, + 1. */
struct taken {
    uintptr_t low, high;
};
static struct taken taken[1024];
static int taken_count;

static bool is_taken(const struct code *code)
{
    for (int i = 0; i < taken_count; i++)
        if (taken[i].low <= code->low && code->high <= taken[i].high)
            return true;
    return false;
}

static void take_code(const struct code *code)
{
    if (is_taken(code))
        return;
    const struct rules *rules = place_rules(code->function);
    for (unsigned i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->list[i];
        struct code one = {code->function, rule->at, rule->at + 1};
        if (rule->at >= code->low && rule->at < code->high && !is_taken(&one))
            note(rule);
    }
    if (taken_count < (int)(sizeof taken / sizeof *taken))
        taken[taken_count++] = (struct taken){code->low, code->high};
}

static const struct thread *taking; /* whose code is taken in; NULL: a call inside of it was taken in already */

static void give(const struct rule *rule)
{
    if (ahead.given_count == MOST_GIVEN)
        ahead.opaque = true;
    else
        ahead.given[ahead.given_count++] = (struct given){taking, rule->target, rule->kind == RULE_LEADS};
}

/* Is it about the value that the call was given, and not about what the call will find in memory? */
static bool is_of_given(const struct rule *rule)
{
    return rule->kind == RULE_LEADS || (rule->kind == RULE_FLOW && (!taking || taking->hands_on));
}

/* SOUND: a thread that stands in a call of a library has yet to read and write.  Of what it was given, addresses are a
 * part of its operation, and values that only count as such are on its stack; values that are put into carriers follow
 * the rules of these. */
static void take_call(const struct code *call)
{
    const struct rules *rules = place_rules(call->function);
    for (unsigned i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->list[i];
        if (rule->at != call->low || rule->kind == RULE_ADDRESS)
            continue;
        if (is_of_given(rule) && !by_bystander)
            give(rule);
        else
            note(rule);
    }
    taking = NULL;
}

static void take_place(const struct place *place, bool stands)
{
    if (!place->known) {
        ahead.opaque = true;
        return;
    }
    if (stands && place->call.function)
        take_call(&place->call);
    for (unsigned i = 0; i < place->code_count && !ahead.opaque; i++)
        take_code(&place->code[i]);
    for (unsigned i = 0; i < place->kept_count; i++)
        held_by(place->kept[i])->kept_at = program_views + 1;
}

void look_ahead(void)
{
    if (ahead.at == program_views + 1)
        return;
    ahead.at = program_views + 1;
    ahead.count = ahead.given_count = taken_count = 0;
    ahead.wild = ahead.read = false;
    ahead.opaque_at = 0;
    ahead.opaque = place_globals() > 1 << 16;
    memset(ahead.pinned, 0, ((size_t)place_globals() + 63) / 64 * sizeof *ahead.pinned);
    for (int i = now.threads - 1; i >= 0 && !ahead.opaque; i--) { /* main last: others may execute the same code */
        by_bystander = main_stands_by && i == 0;
        taking = thread_of(i);
        if (thread_of(i)->life == LIVING && !take_places(thread_of(i), take_place))
            ahead.opaque = true;
    }
}
