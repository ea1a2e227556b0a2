#include "foresee/seen/operations.h"

#include "explore/arena.h"
#include "mix.h"

static struct operation_seen {
    uint64_t key;
    bool known;
    struct graph_event event;
} *operations; /* from 1 on */
static unsigned operation_count, operation_room;
static uint32_t *slots;
static unsigned slot_count;

static uint64_t mix_cell(uint64_t hash, cell value) { return mix(mix(hash, (uint64_t)value), (uint64_t)(value >> 64)); }

/* All that decides what can be seen, and what is written then. */
static uint64_t key_of(const struct graph_event *event)
{
    const struct atomic *access = &event->access;
    uint64_t key = mix(mix(mix(1, event->kind), (uint64_t)event->variable), (uint64_t)event->pc);
    if (event->variable == NOBODY)
        return key;
    key = mix(key, (uint64_t)access->change | (uint64_t)access->order << 8 | (uint64_t)access->failure << 16 |
                       (uint64_t)access->commutes << 24);
    return mix_cell(mix_cell(mix_cell(key, access->operand), access->expected), event->initial);
}

static uint32_t *slot_of(uint64_t key)
{
    for (uint64_t at = key >> 20;; at++) {
        uint32_t *slot = &slots[at & (slot_count - 1)];
        if (!*slot || operations[*slot].key == key)
            return slot;
    }
}

static void more_slots(void)
{
    arena_give(slots, slot_count * sizeof *slots);
    slot_count = slot_count ? slot_count * 2 : 64;
    slots = arena_take(slot_count * sizeof *slots);
    for (uint32_t i = 1; i <= operation_count; i++)
        *slot_of(operations[i].key) = i;
}

uint32_t operation_with(uint64_t key)
{
    if (operation_count * 2 >= slot_count)
        more_slots();
    uint32_t *slot = slot_of(key);
    if (!*slot) {
        GROW(operations, operation_room, operation_count + 2);
        operations[++operation_count] = (struct operation_seen){.key = key};
        *slot = operation_count;
    }
    return *slot;
}

uint32_t operation_of(const struct graph_event *event)
{
    uint32_t number = operation_with(key_of(event));
    struct operation_seen *operation = &operations[number];
    if (!operation->known || event->point) {
        operation->known = true;
        operation->event = *event;
    }
    return number;
}

const struct graph_event *operation_numbered(uint32_t number)
{
    return operations[number].known ? &operations[number].event : NULL;
}

uint64_t operation_key(uint32_t number) { return operations[number].key; }
