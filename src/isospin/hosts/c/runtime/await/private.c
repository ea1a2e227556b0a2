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
} *known; /* from 1 on */
static unsigned known_room;

static struct {
    int name[MOST_NAMES];
    int count;
} here[MOST_THREADS]; /* the operation that each thread has made last, or is about to make */

void private_come(int thread) { here[thread].count = 0; }

void private_forget(int thread) { here[thread].count = 0; }

uint64_t private_count(uint64_t situation)
{
    int name = await_point(mix(situation, 3), NULL);
    GROW(known, known_room, name + 1);
    here[current->number].name[here[current->number].count++] = name;
    for (unsigned i = 0; i < known[name].count; i++) {
        uint64_t content = 0;
        memcpy(&content, (const void *)known[name].read[i].from, known[name].read[i].size);
        situation = mix(situation, content);
    }
    return situation;
}

static bool is_known(const struct reads *reads, uintptr_t from, size_t size)
{
    for (unsigned i = 0; i < reads->count; i++)
        if (reads->read[i].from == from && reads->read[i].size == size)
            return true;
    return false;
}

static void learn(struct reads *reads, uintptr_t from, size_t size)
{
    if (is_known(reads, from, size))
        return;
    if (reads->count == MOST_READS) {
        learn_incomplete_at("a loop that waits reads too much memory to tell its rounds apart");
        return;
    }
    GROW(reads->read, reads->room, reads->count + 1);
    reads->read[reads->count++] = (struct read){from, size};
    learnt = true;
}

void private_read(uintptr_t from, size_t size)
{
    if (!here[current->number].count || !reset_covers(from, size)) /* what is never written need not be compared */
        return;
    for (int i = 0; i < here[current->number].count; i++)
        for (size_t at = 0; at < size; at += 8)
            learn(&known[here[current->number].name[i]], from + at, size - at < 8 ? size - at : 8);
}
