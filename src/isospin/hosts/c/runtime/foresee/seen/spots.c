#include "foresee/seen/spots.h"

#include "explore/arena.h"
#include "runtime.h"

#include <string.h>

static struct spot {
    uintptr_t from;
    size_t size;
} spots[MOST_SPOTS];
static int spot_count, counted; /* how many there were when the search began */
bool spots_watched;
static uint64_t near[16]; /* bits of words of memory in which there may be one: most stores are nowhere near */

static int nth[MOST_THREADS]; /* the last event of each thread, or -1 */
static struct stored *stored;
static unsigned stored_count, stored_room;
static struct {
    unsigned first; /* of the stores behind the last event; what others store lies between them */
    bool any;
} behind[MOST_THREADS];

void spots_open(void) { counted = spot_count; }

bool spots_are_more(void) { return counted < spot_count; }

bool spot_counts(int spot) { return spot < counted; }

static uint64_t *near_bits(uintptr_t word) { return &near[word / 64 % 16]; }

/* In the heap or in data of the program, within a word. */
static bool can_be_spot(uintptr_t from, size_t size)
{
    bool in_word = size <= 8 && from / 8 == (from + size - 1) / 8;
    return in_word && spot_count < MOST_SPOTS &&
           (in_heap(from) || (region_owner(from) < 0 && reset_covers(from, size)));
}

int spot_at(uintptr_t from, size_t size)
{
    for (int i = 0; i < spot_count; i++)
        if (spots[i].from == from && spots[i].size == size)
            return i < counted ? i : NO_SPOT;
    if (!can_be_spot(from, size))
        return NO_SPOT;
    spots[spot_count++] = (struct spot){from, size};
    *near_bits(from / 8) |= (uint64_t)1 << from / 8 % 64;
    spots_watched = true;
    return NO_SPOT;
}

void spots_begin(void)
{
    stored_count = 0;
    for (int t = 0; t < MOST_THREADS; t++) {
        nth[t] = -1;
        behind[t].any = false;
    }
}

/* What was stored is there by now, and nobody else has changed it: else it is no spot that could be relied on. */
static void look(int thread)
{
    for (unsigned i = behind[thread].first; behind[thread].any && i < stored_count; i++)
        if (stored[i].thread == thread)
            memcpy(&stored[i].value, (const void *)spots[stored[i].spot].from, spots[stored[i].spot].size);
    behind[thread].any = false;
}

void spots_step(int thread, int number)
{
    look(thread);
    nth[thread] = number;
}

static bool is_noted(int thread, int spot)
{
    for (unsigned i = behind[thread].first; behind[thread].any && i < stored_count; i++)
        if (stored[i].thread == thread && stored[i].spot == spot)
            return true;
    return false;
}

static void note(int thread, int spot)
{
    if (is_noted(thread, spot))
        return;
    if (!behind[thread].any)
        behind[thread].first = stored_count;
    behind[thread].any = true;
    GROW(stored, stored_room, stored_count + 1);
    stored[stored_count++] = (struct stored){.thread = (uint8_t)thread, .nth = nth[thread], .spot = spot};
}

static bool may_be_one(uintptr_t from, size_t size)
{
    for (uintptr_t word = from / 8; word <= (from + size - 1) / 8; word++)
        if (*near_bits(word) >> word % 64 & 1)
            return true;
    return false;
}

void spots_store(int thread, uintptr_t from, size_t size)
{
    if (!may_be_one(from, size))
        return;
    for (int i = 0; i < spot_count; i++)
        if (from < spots[i].from + spots[i].size && spots[i].from < from + size)
            note(thread, i);
}

const struct stored *spots_end(unsigned *count)
{
    for (int t = 0; t < MOST_THREADS; t++)
        look(t);
    *count = stored_count;
    return stored;
}
