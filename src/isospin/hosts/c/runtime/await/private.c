#include "await/private.h"

#include "await/await.h"
#include "explore/arena.h"
#include "mix.h"
#include "runtime.h"

#include <string.h>

enum { MOST_NAMES = 3 /* of one place: with the way there and without */, MOST_READS = 1024 };

static struct reads { /* behind an operation */
    struct read {
        uintptr_t from;
        size_t size; /* up to 8 */
    } *read;
    unsigned count, room;
    bool decides; /* whether a round fails */
    bool much;    /* more than is counted */
} *known; /* by names, from 1 on */
static unsigned known_room;

static struct made { /* a number, of what was known to be read there */
    int name;
    unsigned count;
} *made;
static unsigned made_room;

static struct {
    int name[MOST_NAMES];
    int count;
} here[MOST_THREADS]; /* the operation that each thread has made last, or is about to make */

void private_come(int thread) { here[thread].count = 0; }

void private_forget(int thread) { here[thread].count = 0; }

/* ---------------------------------------------------------------- what counts */

static int name_of(uint64_t situation, bool decides)
{
    int name = await_point(mix(situation, decides ? 3 : 4), NULL);
    GROW(known, known_room, name + 1);
    known[name].decides = decides;
    here[current->number].name[here[current->number].count++] = name;
    return name;
}

static uint64_t with_content(uint64_t situation, int name)
{
    for (unsigned i = 0; i < known[name].count; i++) {
        uint64_t content = 0;
        memcpy(&content, (const void *)known[name].read[i].from, known[name].read[i].size);
        situation = mix(situation, content);
    }
    return situation;
}

uint64_t private_count(uint64_t situation) { return with_content(situation, name_of(situation, true)); }

int private_number(uint64_t situation, uint64_t kind, const void *pc)
{
    int name = name_of(mix(situation, kind), false);
    if (known[name].much)
        return 0;
    int number = await_point(mix(with_content(situation, name), kind), pc);
    GROW(made, made_room, number + 1);
    made[number] = (struct made){name, known[name].count};
    return number;
}

/* ---------------------------------------------------------------- what was read */

static bool is_known(const struct reads *reads, uintptr_t from, size_t size)
{
    for (unsigned i = 0; i < reads->count; i++)
        if (reads->read[i].from == from && reads->read[i].size == size)
            return true;
    return false;
}

static void learn(int name, uintptr_t from, size_t size)
{
    struct reads *reads = &known[name];
    if (reads->much || is_known(reads, from, size))
        return;
    if (reads->count == MOST_READS) {
        reads->much = true;
        if (reads->decides)
            learn_incomplete_at("a loop that waits reads too much memory to tell its rounds apart");
        return;
    }
    GROW(reads->read, reads->room, reads->count + 1);
    reads->read[reads->count++] = (struct read){from, size};
    learnt |= reads->decides;
}

static const struct made *made_of(int number)
{
    static const struct made none;
    return number < (int)made_room ? &made[number] : &none;
}

bool private_is_old(int number)
{
    const struct made *from = made_of(number);
    return known && (known[from->name].much || known[from->name].count > from->count);
}

bool private_leads(int number, int next)
{
    const struct made *from = made_of(number), *to = made_of(next);
    for (unsigned i = 0; next && to->name && i < to->count; i++)
        learn(from->name, known[to->name].read[i].from, known[to->name].read[i].size);
    return !private_is_old(number);
}

void private_read(uintptr_t from, size_t size)
{
    if (!here[current->number].count || !reset_covers(from, size)) /* what is never written need not be compared */
        return;
    for (int i = 0; i < here[current->number].count; i++)
        for (size_t at = 0; at < size; at += 8)
            learn(here[current->number].name[i], from + at, size - at < 8 ? size - at : 8);
}
