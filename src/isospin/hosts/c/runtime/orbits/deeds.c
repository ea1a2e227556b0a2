/* Deeds: an action as the how many-th one of its thread, each with a number, so that sets of them are sets of bits. */
#include "orbits/orbit.h"

#include "explore/arena.h"
#include "mix.h"

static struct deeds {
    struct deed *list;
    unsigned count, room;
    uint32_t *slots; /* of numbers + 1; the size is a power of two */
    unsigned slot_count;
} *deeds;

/* SOUND: in the arena, before the first fork: in fork mode all processes mean the same by a number. */
void deeds_open(void) { deeds = arena_take(sizeof *deeds); }

struct deed deed(uint32_t number) { return deeds->list[number]; }

static uint32_t *slot_of(struct deed wanted)
{
    for (uint64_t at = mix(wanted.action, wanted.nth) >> 20;; at++) {
        uint32_t *slot = &deeds->slots[at & (deeds->slot_count - 1)];
        if (!*slot)
            return slot;
        const struct deed *known = &deeds->list[*slot - 1];
        if (known->action == wanted.action && known->nth == wanted.nth)
            return slot;
    }
}

static void more_slots(void)
{
    arena_give(deeds->slots, deeds->slot_count * sizeof *deeds->slots);
    deeds->slot_count = deeds->slot_count ? deeds->slot_count * 2 : 256;
    deeds->slots = arena_take(deeds->slot_count * sizeof *deeds->slots);
    for (uint32_t i = 0; i < deeds->count; i++)
        *slot_of(deeds->list[i]) = i + 1;
}

uint32_t deed_number(uint32_t action, unsigned nth)
{
    struct deed wanted = {action, nth};
    if (deeds->count * 2 >= deeds->slot_count)
        more_slots();
    uint32_t *slot = slot_of(wanted);
    if (!*slot) {
        GROW(deeds->list, deeds->room, deeds->count + 1);
        deeds->list[deeds->count++] = wanted;
        *slot = deeds->count;
    }
    return *slot - 1;
}
