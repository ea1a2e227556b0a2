/* SOUND: equal numbers are taken for equal states: 64 bits, and an error would need two rounds of one loop to collide.
 * What is dead does not count, as for symmetry (binary/liveness.py); pieces that somebody may have a pointer to do,
 * unless they are only lent to a call, and that one is told apart by its operands. */
#include "await/local_state.h"

#include "explore/arena.h"
#include "graphs/history.h"
#include "mix.h"
#include "runtime.h"

#include "wire/places.h"

#include <string.h>

enum { FRAMES = 64 };

struct outwards { /* where we are on the way from the innermost frame to the first one */
    uintptr_t pc, sp;
    uintptr_t registers[SAVED_REGISTERS];
    uint64_t hash;
};

static bool names_itself; /* an address in its own region counted */
static struct met { /* where an atomic variable is in the frame of a function that waits */
    uintptr_t pc;
    intptr_t offset; /* from the upper end of the frame */
    size_t size;
} *met;
static unsigned met_count, met_room;

uint64_t own_address(uint64_t word, bool *own)
{
    bool inside = word - current->self < REGION_SIZE;
    *own |= inside;
    return inside ? word - current->self : word;
}

static uint64_t relative(uint64_t word) { return own_address(word, &names_itself); }

/* Words where they are aligned, since they may be addresses; bytes elsewhere. */
static uint64_t mix_bytes(uint64_t hash, uintptr_t from, uintptr_t to)
{
    while (from < to)
        if (memory_model && history_covers(from, 1)) {
            from++; /* somebody may have changed it, whatever the thread sees */
        } else if (from % 8 == 0 && to - from >= 8 && !(memory_model && history_covers(from, 8))) {
            hash = mix(hash, relative(*(const uint64_t *)from));
            from += 8;
        } else {
            hash = mix(hash, *(const uint8_t *)from++);
        }
    return hash;
}

static bool is_lent(const struct place *place, const struct extent *piece)
{
    for (unsigned i = 0; i < place->lent_count; i++)
        if (place->lent[i].low <= piece->low && piece->high <= place->lent[i].high)
            return true;
    return false;
}

static bool is_met(uintptr_t pc, intptr_t offset)
{
    for (unsigned i = 0; i < met_count; i++)
        if (met[i].pc == pc && met[i].offset == offset)
            return true;
    return false;
}

/* Which bytes of a piece of a frame are variables is learnt. */
static void learn_variables(uintptr_t pc, uintptr_t top, const struct extent *piece)
{
    size_t size;
    for (uintptr_t byte = top + (uintptr_t)(intptr_t)piece->low; byte < top + (uintptr_t)(intptr_t)piece->high;
         byte++) {
        uintptr_t from = history_variable(byte, &size);
        if (!from || is_met(pc, (intptr_t)(from - top)))
            continue;
        GROW(met, met_room, met_count + 1);
        met[met_count++] = (struct met){pc, (intptr_t)(from - top), size};
        learnt = true;
    }
}

/* SOUND: the state of a thread must not depend on whether somebody else has looked at its variables yet.  So what was
 * one in another execution is one now, as if it had been looked at; unless it was written plainly since. */
static void meet_variables(uintptr_t pc, uintptr_t top)
{
    for (unsigned i = 0; i < met_count; i++) {
        uintptr_t from = top + (uintptr_t)met[i].offset;
        if (met[i].pc == pc && !history_covers(from, met[i].size) && !history_life(from))
            history_meet(from, met[i].size);
    }
}

static void add_frame(struct outwards *at, const struct place *place, uintptr_t top)
{
    at->hash = mix(at->hash, at->pc);
    for (unsigned i = 0; memory_model && i < place->live_count; i++)
        learn_variables(at->pc, top, &place->live[i]);
    for (unsigned i = 0; memory_model && i < place->pointed_count; i++)
        learn_variables(at->pc, top, &place->pointed[i]);
    meet_variables(at->pc, top);
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (place->registers >> i & 1)
            at->hash = mix(at->hash, relative(at->registers[i]));
    for (unsigned i = 0; i < place->live_count; i++)
        at->hash = mix_bytes(at->hash, top + (uintptr_t)(intptr_t)place->live[i].low,
                             top + (uintptr_t)(intptr_t)place->live[i].high);
    for (unsigned i = 0; i < place->pointed_count; i++)
        if (!is_lent(place, &place->pointed[i]))
            at->hash = mix_bytes(at->hash, top + (uintptr_t)(intptr_t)place->pointed[i].low,
                                 top + (uintptr_t)(intptr_t)place->pointed[i].high);
}

/* Nothing is known of the rest: all of it counts. */
static uint64_t add_rest(struct outwards *at, uintptr_t end)
{
    at->hash = mix(at->hash, at->pc);
    for (int i = 0; i < SAVED_REGISTERS; i++)
        at->hash = mix(at->hash, relative(at->registers[i]));
    return mix_bytes(at->hash, at->sp, end);
}

static void go_out(struct outwards *at, const struct place *place, uintptr_t top)
{
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (place->saved[i])
            at->registers[i] = *(const uintptr_t *)(top + (uintptr_t)(intptr_t)place->saved[i]);
    at->pc = ((const uintptr_t *)top)[-1];
    at->sp = top;
}

/* What we ask for is not the program's reading and writing. */
static const struct place *place_behind(uintptr_t pc)
{
    running = false;
    const struct place *place = place_frame(pc);
    running = true;
    return place;
}

static uint64_t state_from(void **entry)
{
    uintptr_t end = current->self + REGION_SIZE;
    struct outwards at = {
        .pc = (uintptr_t)entry[1],
        .sp = (uintptr_t)(entry + 2),
        .registers = {(uintptr_t)users_rbx, (uintptr_t)entry[0], (uintptr_t)users_r12, (uintptr_t)users_r13,
                      (uintptr_t)users_r14, (uintptr_t)users_r15},
        .hash = current->held, /* SOUND: a round that keeps a lock is no round */
    };
    for (int i = 0; i < FRAMES; i++) {
        const struct place *place = place_behind(at.pc);
        uintptr_t top = at.sp - (uintptr_t)(intptr_t)place->sp;
        if (!place->known || top <= at.sp || top > end || top % 8)
            break;
        add_frame(&at, place, top);
        if (place->flags & PLACE_BEGINNING)
            return at.hash;
        go_out(&at, place, top);
    }
    return add_rest(&at, end);
}

uint64_t local_state(void **entry, bool *own)
{
    names_itself = false;
    uint64_t state = state_from(entry);
    *own |= names_itself;
    return state;
}
