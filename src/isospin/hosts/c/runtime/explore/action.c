#include "explore/action.h"

#include "explore/arena.h"
#include "symmetry/renaming.h"

#include <string.h>

static struct actions {
    struct action *list;
    unsigned room, count;
    uint32_t *slots; /* a hash table of numbers + 1; the size is a power of two */
    unsigned slot_count;
    struct object *objects;
    unsigned object_room, object_count;
} *known;

void actions_open(void) { known = arena_take(sizeof *known); }

void actions_reset(void)
{
    for (unsigned i = 0; i < known->count; i++)
        known->list[i].last = -1;
    for (unsigned i = 0; i < known->object_count; i++) {
        known->objects[i].count = 0;
        known->objects[i].owner = FREE;
    }
}

struct action *action(uint32_t number) { return &known->list[number]; }

struct object *object(int32_t number) { return &known->objects[number]; }

unsigned action_count(void) { return known->count; }

/* ---------------------------------------------------------------- dependence */

/* Both orders leave the same, and neither thread knows what it found. */
static bool commuting(const struct span *a, const struct span *b)
{
    return a->commutes && a->commutes == b->commutes && a->from == b->from && a->size == b->size;
}

bool overlapping(const struct span *a, const struct span *b)
{
    return !commuting(a, b) && a->space == b->space && (a->writes || b->writes) && a->from < b->from + b->size &&
           b->from < a->from + a->size;
}

static bool ends_one_of(const struct operation *op, thread_set joined)
{
    for (int i = 0; i < op->spans; i++)
        if (op->span[i].space == ENDS && op->span[i].writes && (joined & only((int)op->span[i].from)))
            return true;
    return false;
}

bool dependent(const struct operation *a, const struct operation *b)
{
    for (int i = 0; i < a->spans; i++)
        for (int j = 0; j < b->spans; j++)
            if (overlapping(&a->span[i], &b->span[j]))
                return true;
    return (a->joins && ends_one_of(b, a->joins)) || (b->joins && ends_one_of(a, b->joins));
}

static bool same_span(const struct span *a, const struct span *b)
{
    return a->from == b->from && a->size == b->size && a->space == b->space && a->writes == b->writes &&
           a->decides == b->decides && a->commutes == b->commutes;
}

bool same_operation(const struct operation *a, const struct operation *b)
{
    if (a->kind != b->kind || a->waits != b->waits || a->spans != b->spans || a->joins != b->joins)
        return false;
    for (int i = 0; i < a->spans; i++)
        if (!same_span(&a->span[i], &b->span[i]))
            return false;
    return true;
}

bool action_joins(const struct action *a)
{
    bool joins = a->op.kind == OP_JOIN;
    for (int i = 0; i < a->op.spans; i++)
        joins &= a->op.span[i].space == ENDS;
    return joins;
}

/* ---------------------------------------------------------------- numbers */

static uint32_t hashed(int thread, const struct operation *op)
{
    uint64_t h = (uint64_t)thread * 0x9E3779B97F4A7C15ULL + op->kind + op->joins * 31;
    for (int i = 0; i < op->spans; i++) {
        const struct span *s = &op->span[i];
        h = (h ^ s->from) * 0xD6E8FEB86659FD93ULL;
        h = ((h ^ (h >> 32)) + s->size + (uint64_t)s->space * 7 + s->writes * 3) * 0x9E3779B97F4A7C15ULL;
    }
    return (uint32_t)(h >> 32);
}

static int32_t object_number(uintptr_t address)
{
    for (unsigned i = 0; i < known->object_count; i++)
        if (known->objects[i].address == address)
            return (int32_t)i;
    GROW(known->objects, known->object_room, known->object_count + 1);
    known->objects[known->object_count] = (struct object){.address = address, .owner = FREE};
    return (int32_t)known->object_count++;
}

static void rival(uint32_t number, uint32_t other)
{
    struct action *a = action(number);
    GROW(a->rivals, a->room, a->count + 1);
    a->rivals[a->count++] = other;
}

static void meet_others(uint32_t number)
{
    const struct action *new = action(number);
    for (uint32_t i = 0; i < number; i++)
        if (action(i)->thread != new->thread && dependent(&action(i)->op, &new->op)) {
            rival(number, i);
            rival(i, number);
        }
}

static uint32_t add(int thread, const struct operation *op, uint32_t hash)
{
    GROW(known->list, known->room, known->count + 1);
    uint32_t number = known->count++;
    struct action *new = action(number);
    *new = (struct action){.op = *op, .thread = (uint8_t)thread, .last = -1, .hash = hash};
    for (int i = 0; i < MOST_SPANS; i++)
        new->object[i] = i < op->spans && op->span[i].space == SYNC ? object_number(op->span[i].from) : -1;
    meet_others(number);
    return number;
}

static void more_slots(void)
{
    arena_give(known->slots, known->slot_count * sizeof *known->slots);
    known->slot_count = known->slot_count ? known->slot_count * 2 : 256;
    known->slots = arena_take(known->slot_count * sizeof *known->slots);
    for (uint32_t i = 0; i < known->count; i++) {
        unsigned at = action(i)->hash;
        while (known->slots[at & (known->slot_count - 1)])
            at++;
        known->slots[at & (known->slot_count - 1)] = i + 1;
    }
}

uint32_t action_number(int thread, const struct operation *op)
{
    if (known->count * 2 >= known->slot_count)
        more_slots();
    uint32_t hash = hashed(thread, op), *slot;
    for (unsigned at = hash; *(slot = &known->slots[at & (known->slot_count - 1)]); at++) {
        const struct action *a = action(*slot - 1);
        if (a->hash == hash && a->thread == thread && same_operation(&a->op, op))
            return *slot - 1;
    }
    uint32_t number = add(thread, op, hash);
    *slot = number + 1;
    return number;
}

const struct operation *lasting_operation(const struct operation *op, struct operation *room)
{
    if (!op || !seats_shifted)
        return op;
    *room = *op;
    for (int i = 0; i < op->spans; i++)
        if (op->span[i].space != ENDS)
            room->span[i].from = seat_of(op->span[i].from);
    return room;
}
