/* Reference: docs/develop/decisions/numbered-threads.md.
 * Differs: -.  SOUND: every value that a carrier can hold from now on is among those that are listed for it, or it is
 * wide, and then no renaming changes what it holds.  Proof by induction over the steps of the program: at the beginning
 * all places that can still be read are listed; a step puts into a place what a rule says, or what is the same under
 * the renaming.
 */
#include "runtime.h"

#include "numbers/ahead.h"

#include "explore/arena.h"
#include "fibers/memory.h"
#include "libc/heap.h"
#include "symmetry/blocks.h"
#include "symmetry/bystander.h"
#include "symmetry/cells.h"
#include "numbers/compute.h"
#include "symmetry/scene.h"

#include <dlfcn.h>
#include <string.h>

enum {
    MOST_CARRIERS = 1 << 14,
    SMALL = 1 << 16, /* numbers of threads are below */
};

static struct {
    unsigned used;
    unsigned slots[MOST_CARRIERS]; /* by a hash of the carrier: which of `all`, + 1; 0: none */
    struct held all[MOST_CARRIERS / 2]; /* one behind the other: few are ever used, and only these are gone through */
} *table; /* in the memory of the search */
static uint64_t question;
static bool changed, uneven, changes;
static bool closed; /* no other changes than those that are listed */
struct broken_rule broken_rule;

/* ---------------------------------------------------------------- carriers */

/* A place for it in the list, + 1. */
static unsigned add_carrier(uint64_t carrier)
{
    if (table->used == MOST_CARRIERS / 2)
        broken("too many variables that hold numbers of threads");
    table->all[table->used].carrier = carrier;
    return ++table->used;
}

struct held *held_by(uint64_t carrier)
{
    if (!table)
        table = arena_take(sizeof *table);
    unsigned at = (unsigned)(carrier * 0x9e3779b97f4a7c15u >> 40);
    for (;; at++) {
        unsigned *slot = &table->slots[at % MOST_CARRIERS];
        if (!*slot)
            *slot = add_carrier(carrier);
        struct held *held = &table->all[*slot - 1];
        if (held->carrier != carrier)
            continue;
        if (held->of != question) {
            held->of = question;
            held->wide = held->stray = held->changes = held->meets = false;
            held->count = 0;
        }
        return held;
    }
}

static bool is_memory(uint64_t carrier) { return carrier & 2; }

void numbers_begin(void)
{
    question++;
    uneven = changes = closed = false;
}

void numbers_uneven(void) { uneven = true; }

bool numbers_are_uneven(void) { return uneven; }

bool numbers_change(void) { return changes; }

/* ---------------------------------------------------------------- what code names */

bool numbers_pin(int global)
{
    look_ahead();
    if (ahead.opaque || scene_reaches_everything())
        return scene_reaches(global);
    return ahead.pinned[global / 64] >> global % 64 & 1;
}

/* ---------------------------------------------------------------- values */

static bool is_kept(const struct held *held)
{
    return ahead.opaque || (ahead.wild && is_memory(held->carrier)) || held->kept_at == ahead.at;
}

static bool is_read(const struct held *held)
{
    return held->read_at == ahead.at || is_kept(held) || (ahead.read && is_memory(held->carrier));
}

static bool stays(uintptr_t one, uintptr_t other, const struct renaming *renaming)
{
    return renaming_word(renaming, one) == other;
}

static bool widen_as(struct held *held, bool stray)
{
    if (held->wide && held->stray >= stray)
        return true;
    changed = true;
    held->wide = true;
    held->stray |= stray;
    return !held->changes;
}

static bool widen(struct held *held) { return widen_as(held, true); }

/* A place of this carrier cannot hold what it would. */
static bool blame_carrier(const struct held *held, uintptr_t one, uintptr_t other)
{
    if (!broken_rule.at && !broken_rule.carrier)
        broken_rule = (struct broken_rule){.carrier = held->carrier, .one = one, .other = other};
    if (!broken_rule.at && ahead.wild && is_memory(held->carrier))
        broken_rule = (struct broken_rule){ahead.wild_at, RULE_WILD, held->carrier, one, other};
    return false;
}

/* In a place of this carrier, `one` becomes `other`. */
static bool put(struct held *held, uintptr_t one, uintptr_t other, bool same)
{
    if (!closed && (held->wide || is_kept(held))) /* in the end what was listed then counts, whatever main reads */
        return same || blame_carrier(held, one, other);
    for (int i = 0; i < held->count; i++)
        if (held->one[i] == one || held->other[i] == other)
            return (held->one[i] == one && held->other[i] == other) || blame_carrier(held, one, other);
    if (closed)
        return same;
    if (held->count == MOST_VALUES)
        return same && widen(held);
    changed = true;
    held->changes |= !same;
    changes |= !same;
    held->one[held->count] = one;
    held->other[held->count++] = other;
    return true;
}

static bool becomes(struct held *held, uintptr_t one, uintptr_t other, struct renaming *renaming, bool grows)
{
    if (stays(one, other, renaming))
        return put(held, one, other, true);
    if (one >= SMALL || other >= SMALL) /* no numbers of threads: perhaps addresses of cells that move */
        return grows && cells_bind(renaming, one, other) && put(held, one, other, true);
    return put(held, one, other, false);
}

bool numbers_same(uint64_t carrier, uintptr_t one, uintptr_t other, size_t size, struct renaming *renaming, bool grows)
{
    look_ahead();
    struct held *held = held_by(carrier);
    if (!is_read(held))
        return true;
    return becomes(held, one, other, renaming, grows && size == sizeof one);
}

/* ---------------------------------------------------------------- rules */

static bool objects_move(const struct rule *rule, const struct renaming *renaming)
{
    for (unsigned i = 0; i < rule->object_count; i++)
        for (int c = 0; c < renaming->count; c++) {
            struct global global;
            if (region_owner(renaming->cells[c].from) < 0 &&
                place_global(renaming->cells[c].from, &global) == rule->objects[i])
                return true;
        }
    return false;
}

/* Programs stay inside of the variable that a pointer points into: other values are no ones that come here. */
static bool is_outside(const struct rule *rule, const uintptr_t one[2], uintptr_t address)
{
    struct global global;
    int number = -1;
    for (unsigned i = 0; i < rule->leaf_count && !rule->object_count && number < 0; i++)
        number = place_global(one[i], &global);
    return number >= 0 && address - global.low >= global.high - global.low;
}

/* Whoever uses it fails. */
static bool is_no_object(uintptr_t address)
{
    const struct block *block = in_heap(address) ? block_around(address) : NULL;
    return address < SMALL || (in_heap(address) && (!block || block->freed));
}

/* SOUND: a pointer may lead to what is not listed, or as something else: a block whose type is not known, variables of
 * threads and of libraries, a struct with more behind it than its type says.  Then anything may be there, but no number
 * that changes. */
static bool leads_to(uintptr_t address, struct held *target)
{
    size_t size;
    if (is_no_object(address))
        return true;
    uint64_t carrier = numbers_carrier(address, sizeof address, &size);
    if (carrier == target->carrier)
        return true;
    if (carrier && held_by(carrier)->read_at != ahead.at) {
        held_by(carrier)->read_at = ahead.at;
        changed = true;
    }
    return (!carrier || widen(held_by(carrier))) && (!is_read(target) || widen(target));
}

/* For one choice of values, and what they become. */
static bool holds_for(const struct rule *rule, const uintptr_t one[2], const uintptr_t other[2],
                      struct renaming *renaming, bool grows)
{
    uintptr_t before = value_of(rule, one), after = value_of(rule, other);
    switch (rule->kind) {
    case RULE_FLOW: {
        struct held *target = held_by(rule->target);
        return !is_read(target) || is_outside(rule, one, before) || becomes(target, before, after, renaming, grows);
    }
    case RULE_ADDRESS: {
        bool same = stays(before, after, renaming) || (grows && cells_bind(renaming, before, after));
        return is_outside(rule, one, before) ||
               (same && (grows || renaming_takes_whole(renaming, before, (size_t)rule->target)));
    }
    case RULE_LEADS:
        return is_outside(rule, one, before) || leads_to(before, held_by(rule->target));
    default:
        return stays(before, after, renaming);
    }
}

/* A leaf may hold anything, and no number that changes. */
static bool holds_widely(const struct rule *rule, const struct renaming *renaming)
{
    bool stray = false;
    for (unsigned i = 0; i < rule->leaf_count; i++) {
        const struct held *held = held_by(rule->leaves[i]);
        if (held->changes)
            return false;
        stray |= held->stray || is_kept(held);
    }
    bool gets = rule->kind == RULE_FLOW || (rule->kind == RULE_LEADS && stray);
    if (gets && is_read(held_by(rule->target)) && !widen_as(held_by(rule->target), stray))
        return false;
    return !objects_move(rule, renaming);
}

static bool blame(const struct rule *rule, uintptr_t one, uintptr_t other)
{
    if (!broken_rule.at) {
        broken_rule = (struct broken_rule){.at = rule->at, .kind = rule->kind, .one = one, .other = other};
        for (unsigned i = 0; i < rule->leaf_count; i++)
            if (!broken_rule.carrier || held_by(rule->leaves[i])->changes)
                broken_rule.carrier = rule->leaves[i];
    }
    return false;
}

static bool holds_for_all(const struct rule *rule, struct renaming *renaming, bool grows)
{
    const struct held *first = held_by(rule->leaves[0]);
    const struct held *second = rule->leaf_count > 1 ? held_by(rule->leaves[1]) : NULL;
    for (int i = 0; i < first->count; i++)
        for (int j = 0; j < (second ? second->count : 1); j++) {
            uintptr_t one[2] = {first->one[i], second ? second->one[j] : 0};
            uintptr_t other[2] = {first->other[i], second ? second->other[j] : 0};
            if (!holds_for(rule, one, other, renaming, grows))
                return one[0] != other[0] ? blame(rule, one[0], other[0]) : blame(rule, one[1], other[1]);
        }
    return true;
}

static bool rule_holds(const struct rule *rule, struct renaming *renaming, bool grows)
{
    static const uintptr_t none[2];
    if (rule->kind == RULE_PIN)
        return !objects_move(rule, renaming) || blame(rule, 0, 0);
    if (rule->kind == RULE_WIDEN || rule->kind == RULE_OWN)
        return !is_read(held_by(rule->target)) || widen_as(held_by(rule->target), rule->kind == RULE_WIDEN) ||
               blame(rule, 0, 0);
    if (rule->kind == RULE_WILD || rule->kind == RULE_UNSEEN)
        return true;
    if (!rule->leaf_count)
        return holds_for(rule, none, none, renaming, grows) || blame(rule, 0, 0);
    bool wide = false;
    for (unsigned i = 0; i < rule->leaf_count; i++) {
        const struct held *held = held_by(rule->leaves[i]);
        if (!held->wide && !is_kept(held) && !held->count)
            return true; /* there is nothing that it could be computed from */
        wide |= held->wide || is_kept(held);
    }
    if (wide)
        return holds_widely(rule, renaming) || blame(rule, 0, 0);
    return holds_for_all(rule, renaming, grows);
}

/* ---------------------------------------------------------------- what is there now */

static bool is_live(const struct place *place, const struct carried *carried)
{
    for (unsigned i = 0; i < place->live_count; i++)
        if (place->live[i].low < carried->low + carried->size && carried->low < place->live[i].high)
            return true;
    return is_memory(carried->carrier);
}

static uintptr_t place_in(const struct frame *frame, int32_t offset)
{
    return frame->top + (uintptr_t)(intptr_t)offset;
}

/* `own`: variables whose addresses nobody has need not stay. */
static bool frame_stays(const struct frame *frame, struct renaming *renaming, bool grows, bool own)
{
    for (unsigned i = 0; i < frame->place->carried_count; i++) {
        const struct carried *carried = &frame->place->carried[i];
        struct held *held = held_by(carried->carrier);
        if (!is_live(frame->place, carried) || !is_read(held) || (own && !is_memory(carried->carrier)))
            continue;
        uintptr_t from = place_in(frame, carried->low), to = renaming_image(renaming, from);
        size_t size = (size_t)carried->size;
        if (!size ? !widen(held) : !becomes(held, word_at(from, size), word_at(to, size), renaming, grows && size == 8))
            return false;
    }
    for (int i = 0; i < SAVED_REGISTERS && !own; i++) {
        uint64_t carrier = frame->place->register_carriers[i];
        uintptr_t word = *frame->registers[i];
        if (carrier && is_read(held_by(carrier)) && !becomes(held_by(carrier), word, word, renaming, grows))
            return false;
    }
    return true;
}

/* A thread that moves was compared with its image; but not the members of structs on its stack. */
static bool thread_stays(const struct thread *thread, struct renaming *renaming, bool grows)
{
    bool moves = renaming->to[thread->number] != thread->number;
    if (!has_begun(thread)) {
        uint64_t carrier = place_of_function((uintptr_t)thread->start)->register_carriers[0];
        uintptr_t word = (uintptr_t)thread->argument;
        return moves || !carrier || !is_read(held_by(carrier)) ||
               becomes(held_by(carrier), word, word, renaming, grows);
    }
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++)
        if (!moves && !frame_stays(&walk->frames[i], renaming, grows, main_waits && thread->number == 0))
            return false;
    for (int i = 0; i < walk->count && moves; i++)
        for (unsigned c = 0; c < walk->frames[i].place->carried_count; c++) {
            const struct carried *carried = &walk->frames[i].place->carried[c];
            struct held *held = held_by(carried->carrier);
            if (is_memory(carried->carrier) && is_read(held) && !widen(held)) /* compared byte by byte */
                return false;
        }
    return true;
}

static bool globals_stay(struct renaming *renaming, bool grows)
{
    int count;
    const struct global_part *parts = place_parts(&count);
    for (int i = 0; i < count; i++) {
        struct held *held = held_by(parts[i].carrier);
        if (!is_read(held))
            continue;
        uintptr_t from = parts[i].address, to = renaming_image(renaming, from);
        size_t size = parts[i].size;
        if (!size ? !widen(held) : !becomes(held, word_at(from, size), word_at(to, size), renaming, grows && size == 8))
            return false;
    }
    return true;
}

/* Is it code of a library that asks for blocks for the program?  The last answers are kept: to find out takes long. */
static bool asks_for_program(const void *pc)
{
    static struct {
        const void *pc;
        bool asks;
    } known[64];
    Dl_info found;
    unsigned at = (uintptr_t)pc % 64;
    if (known[at].pc != pc) {
        known[at].asks = !dladdr(pc, &found) || !found.dli_fname || strstr(found.dli_fname, "libstdc++");
        known[at].pc = pc;
    }
    return known[at].asks;
}

/* Blocks that libraries of C asked for are their own; those of C++ ask for the program.  SOUND: so does getline, and
 * the program knows where the line is then. */
bool numbers_of_program(const struct block *block)
{
    uintptr_t from = (uintptr_t)(block + 1);
    if (!block->pc || is_users_code(block->pc))
        return block->pc;
    return asks_for_program(block->pc) || scene_program_points_to(from, from + block->size);
}

struct growth {
    struct renaming *renaming;
    bool grows;
};

static bool carried_stays(const struct made_part *part, uintptr_t from, uintptr_t to, void *context)
{
    const struct growth *growth = context;
    struct held *held = held_by(part->carrier);
    if (!is_read(held))
        return true;
    return to && becomes(held, word_at(from, part->size), word_at(to, part->size), growth->renaming,
                         growth->grows && part->size == 8);
}

static bool blocks_stay(struct renaming *renaming, bool grows)
{
    struct growth growth = {renaming, grows};
    return blocks_each(renaming, carried_stays, &growth);
}

/* Is there a byte that may be one of a number that changes? */
static bool has_changed(const struct part *part, const struct held *held)
{
    for (int i = 0; i < held->count; i++)
        if (held->one[i] != held->other[i] && memchr((void *)part->from, (uint8_t)held->one[i], part->size))
            return true;
    return false;
}

/* SOUND: a block whose type is not known may have any: a number there that would be renamed elsewhere stays what it
 * is. */
static bool heap_holds(const struct part *part, void *context)
{
    const struct held *held = context;
    if (part->kind != HEAP_IF_POINTED || !has_changed(part, held)) /* most have none: that is found out soonest */
        return true;
    return block_elements(block_of(part->from)) || !numbers_of_program(block_of(part->from));
}

static bool heap_stays(void)
{
    for (unsigned i = 0; i < table->used; i++) {
        struct held *held = &table->all[i];
        if (is_memory(held->carrier) && held->of == question && held->changes && is_read(held))
            if (!memory_each(heap_holds, held))
                return false;
    }
    return true;
}

static bool given_stays(const struct given *given, struct renaming *renaming, bool grows)
{
    struct held *held = held_by(given->target);
    if (!is_read(held))
        return true;
    if (!given->by)
        return widen(held);
    /* SOUND: the rule does not say which of the two it is about. */
    if (given->leads)
        return leads_to(given->by->touches, held) && leads_to(given->by->expects, held);
    return becomes(held, given->by->put, thread_of(renaming->to[given->by->number])->put, renaming, grows);
}

static bool blame_opaque(void)
{
    broken_rule = (struct broken_rule){.at = ahead.opaque_at, .kind = RULE_OPAQUE};
    return false;
}

bool numbers_settle(struct renaming *renaming, bool grows)
{
    look_ahead();
    if (changes && (ahead.opaque || uneven))
        return blame_opaque();
    do {
        changed = false;
        int cells = renaming->count;
        for (int i = 0; i < now.threads; i++)
            if (thread_of(i)->life == LIVING && !thread_stays(thread_of(i), renaming, grows))
                return false;
        if (!globals_stay(renaming, grows) || !blocks_stay(renaming, grows))
            return false;
        for (int i = 0; i < ahead.given_count; i++)
            if (!given_stays(&ahead.given[i], renaming, grows))
                return false;
        for (int i = 0; i < ahead.count; i++)
            if (!rule_holds(ahead.rules[i], renaming, grows))
                return false;
        changed |= cells != renaming->count;
    } while (changed);
    return !changes || heap_stays();
}

/* ---------------------------------------------------------------- main as a bystander */

/* A free place in a list of so many, by the number of the carrier: two lists of the same are the same. */
static struct changed_numbers *place_for(uint64_t carrier, struct changed_numbers *list, int count)
{
    while (count > 0 && list[count - 1].carrier > carrier) {
        list[count] = list[count - 1];
        count--;
    }
    return &list[count];
}

static int list_held(struct changed_numbers *list, int most, bool (*wanted)(const struct held *))
{
    int count = 0;
    for (unsigned i = 0; table && i < table->used; i++) {
        const struct held *held = &table->all[i];
        if (held->of != question || !wanted(held))
            continue;
        if (count == most)
            return -1;
        struct changed_numbers *new = place_for(held->carrier, list, count++);
        *new = (struct changed_numbers){.carrier = held->carrier, .count = held->count}; /* two are compared as bytes */
        memcpy(new->one, held->one, (size_t)held->count * sizeof *held->one);
        memcpy(new->other, held->other, (size_t)held->count * sizeof *held->other);
    }
    return count;
}

static bool has_changes(const struct held *held) { return held->changes; }

int numbers_changed(struct changed_numbers *list, int most) { return list_held(list, most, has_changes); }

/* Does it count for a rule that its leaves have these values, and no others that stay what they are? */
static bool is_met(const struct rule *rule, const struct renaming *renaming)
{
    bool met = objects_move(rule, renaming);
    for (unsigned i = 0; i < rule->leaf_count && rule->leaf_count > 1; i++)
        met |= held_by(rule->leaves[i])->changes;
    if (rule->kind == RULE_FLOW || rule->kind == RULE_LEADS)
        met |= held_by(rule->target)->changes || held_by(rule->target)->meets;
    return met;
}

static void find_meetings(const struct renaming *renaming)
{
    do {
        changed = false;
        for (int i = 0; i < ahead.count; i++)
            for (unsigned l = 0; l < ahead.rules[i]->leaf_count && is_met(ahead.rules[i], renaming); l++) {
                struct held *held = held_by(ahead.rules[i]->leaves[l]);
                changed |= !held->meets;
                held->meets = true;
            }
    } while (changed);
}

static bool only_meets(const struct held *held) { return held->meets && !held->changes && is_memory(held->carrier); }

int numbers_relied_on(struct changed_numbers *list, int most, const struct renaming *renaming)
{
    look_ahead();
    find_meetings(renaming);
    return list_held(list, most, only_meets);
}

void numbers_as(const struct changed_numbers *list, int count)
{
    for (int i = 0; i < count; i++) {
        struct held *held = held_by(list[i].carrier);
        held->changes = true;
        held->count = list[i].count;
        memcpy(held->one, list[i].one, (size_t)held->count * sizeof *held->one);
        memcpy(held->other, list[i].other, (size_t)held->count * sizeof *held->other);
    }
    closed = true;
    changes = count != 0;
}

bool numbers_left_behind(struct renaming *renaming)
{
    look_ahead();
    return thread_stays(thread_of(0), renaming, false) && globals_stay(renaming, false) &&
           blocks_stay(renaming, false) && (!changes || heap_stays());
}
