/* Which renamings of threads are tried, and what is no matter for them. */
#include "runtime.h"

#include "numbers/numbers.h"

#include "fibers/memory.h"
#include "libc/heap.h"
#include "symmetry/cells.h"

void renaming_exchange(struct renaming *map, int a, int b)
{
    renaming_clear(map);
    map->to[a] = (uint8_t)b;
    map->to[b] = (uint8_t)a;
}

/* Those that run the same function and have the same parent, in the order of their births, as a ring; false if there
 * are no more than two. */
bool renaming_rotate(struct renaming *map, int a, int b)
{
    int ring[MOST_THREADS], count = 0, from = -1, to = -1;
    for (int i = 0; i < now.threads; i++) {
        const struct thread *thread = thread_of(i);
        if (!program_pending(i) || thread->start != thread_of(a)->start || thread->parent != thread_of(a)->parent)
            continue;
        from = i == a ? count : from;
        to = i == b ? count : to;
        ring[count++] = i;
    }
    renaming_clear(map);
    for (int i = 0; i < count && to >= 0; i++)
        map->to[ring[i]] = (uint8_t)ring[(i + to - from + count) % count];
    return to >= 0 && count > 2;
}

/* An exchange that was good elsewhere, or one that two such ones make. */
static const struct renaming *known_exchange(int a, int b)
{
    static struct renaming half, whole;
    const struct renaming *known = race_exchange(a, b);
    for (int c = 0; c < now.threads && !known; c++) {
        const struct renaming *one = race_exchange(a, c), *other = race_exchange(c, b);
        if (one && other && renaming_product(one, other, &half) && renaming_product(&half, one, &whole))
            known = &whole;
    }
    return known;
}

bool renaming_remember(struct renaming *map, int a, int b)
{
    const struct renaming *known = known_exchange(a, b);
    renaming_exchange(map, a, b);
    for (int i = 0; known && i < known->count; i++)
        if (!renaming_move(map, known->cells[i].from) && !cells_bind(map, known->cells[i].from, known->cells[i].to))
            return false;
    return known;
}

const char *differ_anyway(const struct thread *one, const struct thread *other)
{
    const struct operation *first = &one->operation, *second = &other->operation;
    bool same = first->kind == second->kind && first->waits == second->waits && first->spans == second->spans &&
                one->detached == other->detached && one->joined == other->joined &&
                program_enabled(one->number) == program_enabled(other->number);
    return same ? NULL : blame_record(one, other);
}

static bool is_no_block_of_program(const struct part *part, void *unused)
{
    (void)unused;
    return !numbers_of_program(block_of(part->from));
}

/* What a library allocated for itself in one thread or the other, such as the buffer of a stream, is its own affair. */
bool left_nothing(const struct thread *thread) { return memory_heap(thread, is_no_block_of_program, NULL); }
