/* The comparison of two threads, see alike.h; cheap differences first.
 *
 * Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, figure 4 (residual code and local state).
 * Differs: an exchange must fix everything else, too: memory that names one of the two tells them apart (scene.c).
 * Locals are compared only where they are live (places.h), the heap and thread-local storage wholly.  SOUND for programs
 * that do not compute with addresses as numbers: an order of addresses of two regions is not kept by their exchange.
 */
#include "alike.h"

#include "heap.h"
#include "names.h"
#include "scene.h"

#include <errno.h>
#include <string.h>

/* ---------------------------------------------------------------- the exchange */

static struct {
    const struct thread *a, *b;
    uintptr_t from_a, from_b; /* their regions */
} exchange;

static inline uintptr_t image(uintptr_t word)
{
    if (word - exchange.from_a < REGION_SIZE)
        return word - exchange.from_a + exchange.from_b;
    if (word - exchange.from_b < REGION_SIZE)
        return word - exchange.from_b + exchange.from_a;
    return word;
}

static thread_set image_of_set(thread_set set)
{
    thread_set a = (thread_set)1 << exchange.a->number, b = (thread_set)1 << exchange.b->number;
    return (set & ~(a | b)) | (set & a ? b : 0) | (set & b ? a : 0);
}

static bool is_aligned(uintptr_t where, uintptr_t word, void *unused)
{
    (void)unused;
    int owner = region_owner(word);
    return where % sizeof(uintptr_t) == 0 || (owner != exchange.a->number && owner != exchange.b->number);
}

/* Is the second the image of the first? */
static bool same_bytes(const char *first, const char *second, size_t size)
{
    size_t at = 0;
    for (; at < size && ((uintptr_t)first + at) % sizeof(uintptr_t); at++)
        if (first[at] != second[at])
            return false;
    for (; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
        uintptr_t one, other;
        memcpy(&one, first + at, sizeof one);
        memcpy(&other, second + at, sizeof other);
        if (image(one) != other)
            return false;
    }
    for (; at < size; at++)
        if (first[at] != second[at])
            return false;
    return names_of_regions(first, size, is_aligned, NULL); /* SOUND: one that is not aligned has no image here */
}

/* ---------------------------------------------------------------- what they are about to do */

static bool same_span(const struct span *one, const struct span *other)
{
    uintptr_t from = image(one->from);
    if (one->space == ENDS) {
        thread_set set = image_of_set((thread_set)1 << one->from);
        from = (uintptr_t)__builtin_ctzll(set);
    }
    return one->space == other->space && one->size == other->size && one->writes == other->writes &&
           one->decides == other->decides && from == other->from;
}

static bool same_operation(const struct operation *one, const struct operation *other)
{
    if (one->kind != other->kind || one->waits != other->waits || one->spans != other->spans)
        return false;
    if (image_of_set(one->joins) != other->joins)
        return false;
    for (int i = 0; i < one->spans; i++)
        if (!same_span(&one->span[i], &other->span[i]))
            return false;
    return true;
}

/* Does somebody wait for both without a look at their results? */
static bool results_unused(void)
{
    thread_set both = (thread_set)1 << exchange.a->number | (thread_set)1 << exchange.b->number;
    for (int i = 0; i < now.threads; i++) {
        const struct operation *pending = program_pending(i);
        if (pending && pending->kind == OP_JOIN && (pending->joins & both) == both)
            return true;
    }
    return exchange.a->detached;
}

static bool same_record(void)
{
    const struct thread *a = exchange.a, *b = exchange.b;
    return same_operation(&a->operation, &b->operation) && a->chosen == b->chosen && a->ready == b->ready &&
           a->outcomes == b->outcomes && image(a->object) == b->object && image(a->second) == b->second &&
           image(a->waits_for) == b->waits_for && a->signalled == b->signalled && a->round == b->round &&
           a->time_outs == b->time_outs && a->spurious == b->spurious && a->slept == b->slept && a->files == b->files &&
           a->c11 == b->c11 && a->detached == b->detached && a->joined == b->joined && a->leaves == b->leaves &&
           image((uintptr_t)a->cleanups) == (uintptr_t)b->cleanups && image((uintptr_t)a->late) == (uintptr_t)b->late &&
           (image((uintptr_t)a->result) == (uintptr_t)b->result || results_unused()) &&
           image(a->heap_top) == b->heap_top;
}

/* ---------------------------------------------------------------- stacks */

static bool same_registers(const struct frame *one, const struct frame *other, unsigned registers)
{
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (registers >> i & 1 && image(*one->registers[i]) != *other->registers[i])
            return false;
    return true;
}

static char *at(const struct frame *frame, int32_t offset)
{
    return (char *)(frame->top + (uintptr_t)(intptr_t)offset);
}

static bool is_returned(const struct place *place, const struct extent *live)
{
    for (unsigned i = 0; i < place->returned_count; i++)
        if (place->returned[i].low == live->low && place->returned[i].high == live->high)
            return true;
    return false;
}

/* `last`: the function with which the thread began. */
static bool same_live(const struct frame *one, const struct frame *other, bool last)
{
    if (one->pc == other->pc) {
        for (unsigned i = 0; i < one->place->live_count; i++) {
            const struct extent *live = &one->place->live[i];
            if (last && is_returned(one->place, live) && results_unused())
                continue;
            if (!same_bytes(at(one, live->low), at(other, live->low), (size_t)(live->high - live->low)))
                return false;
        }
        return true;
    }
    const struct place_pair *pair = place_pair(one->pc, other->pc);
    for (unsigned i = 0; i < pair->count && pair->same; i++) {
        const struct slot *slot = &pair->slots[i];
        if (!same_bytes(at(one, slot->first), at(other, slot->second), (size_t)slot->size))
            return false;
    }
    return pair->same;
}

static bool is_pointed(const struct frame *frame, const struct extent *part)
{
    uintptr_t low, high;
    if (!memory_variable(frame, (uintptr_t)at(frame, part->low), &low, &high))
        return true;
    return scene_points_to(low, high);
}

/* What matters only if there is a pointer to it: the same, or there is none. */
static bool same_pointed(const struct frame *one, const struct frame *other)
{
    for (unsigned i = 0; i < one->place->pointed_count; i++) {
        const struct extent *part = &one->place->pointed[i];
        bool beside = one->pc == other->pc;
        if (beside && same_bytes(at(one, part->low), at(other, part->low), (size_t)(part->high - part->low)))
            continue;
        if (is_pointed(one, part) || (beside && is_pointed(other, part)))
            return false;
    }
    return true;
}

static bool same_frame(const struct frame *one, const struct frame *other, bool last)
{
    unsigned flags = one->place->flags | other->place->flags;
    if (flags & PLACE_APART || one->place->registers != other->place->registers)
        return false;
    /* SOUND: if others may know addresses of the stack, these must be images of each other. */
    if (flags & PLACE_EXPOSES && image(one->top) != other->top)
        return false;
    return same_registers(one, other, one->place->registers) && same_live(one, other, last);
}

static bool same_rest(const struct walk *one, const struct walk *other)
{
    if (image(one->rest) != other->rest || one->rest_pc != other->rest_pc)
        return false;
    if (!one->rest)
        return true;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (image(*one->rest_registers[i]) != *other->rest_registers[i])
            return false;
    return same_bytes((char *)one->rest, (char *)other->rest, exchange.from_a + REGION_SIZE - one->rest);
}

static bool same_start(void)
{
    const struct thread *a = exchange.a, *b = exchange.b;
    const struct place *place = place_of_function((uintptr_t)a->start);
    if (!place->known || place->flags & PLACE_APART)
        return false;
    if (a->start != b->start && !place_pair((uintptr_t)a->start, (uintptr_t)b->start)->same)
        return false;
    return !place->registers || image((uintptr_t)a->argument) == (uintptr_t)b->argument;
}

/* Is the next frame the one in which a thread begins? */
static bool begins_next(const struct walk *walk, int i)
{
    return i + 1 < walk->count && walk->frames[i + 1].place->flags & PLACE_BEGINNING;
}

static bool same_stack(void)
{
    if (!has_begun(exchange.a))
        return same_start();
    const struct walk *one = memory_walk(exchange.a), *other = memory_walk(exchange.b);
    if (one->count != other->count || !same_rest(one, other))
        return false;
    for (int i = 0; i < one->count; i++)
        if (!same_frame(&one->frames[i], &other->frames[i], begins_next(one, i)))
            return false;
    for (int i = 0; i < one->count; i++)
        if (!same_pointed(&one->frames[i], &other->frames[i]) || !same_pointed(&other->frames[i], &one->frames[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------- heap and thread-local storage */

static bool same_block(const struct part *block, void *unused)
{
    (void)unused;
    return same_bytes((char *)block->from, (char *)image(block->from), block->size);
}

/* With --reuse: what a thread freed it will get again, in that order. */
static bool same_freed(const struct thread *one, const struct thread *other)
{
    const struct block *first = one->freed, *second = other->freed;
    while (first && image((uintptr_t)first) == (uintptr_t)second) {
        first = first->freed_before;
        second = second->freed_before;
    }
    return !program_options.reuse || (!first && !second);
}

/* Which bytes are in use, and how large the blocks are: what is allocated later will lie at the same places. */
static bool same_layout(void)
{
    const struct block *one = exchange.a->blocks, *other = exchange.b->blocks;
    for (; one && image((uintptr_t)one) == (uintptr_t)other; one = one->previous, other = other->previous)
        if (one->size != other->size || one->freed != other->freed)
            return false;
    uintptr_t from = exchange.from_a + HEAP_FROM, size = exchange.a->heap_top - from;
    return !one && !other && memcmp(live_at(from), live_at(image(from)), size / 16) == 0;
}

static bool looks_at_errno(const struct thread *thread)
{
    if (!has_begun(thread))
        return place_of_function((uintptr_t)thread->start)->flags & PLACE_ERRNO;
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++)
        if (walk->frames[i].place->flags & PLACE_ERRNO)
            return true;
    return walk->rest != 0;
}

/* Libraries leave all kinds of numbers in errno, and few programs look at it. */
static bool same_local_storage(void)
{
    char *one, *other;
    size_t size, other_size, before;
    tls_block(exchange.a, &one, &size);
    tls_block(exchange.b, &other, &other_size);
    if (size != other_size)
        return false;
    if (looks_at_errno(exchange.a) || looks_at_errno(exchange.b))
        return same_bytes(one, other, size);
    before = (size_t)((char *)exchange.a->tls + ((char *)&errno - (char *)fiber_base()) - one);
    return same_bytes(one, other, before) &&
           same_bytes(one + before + sizeof errno, other + before + sizeof errno, size - before - sizeof errno);
}

static bool same_specific(void)
{
    const char *values = (char *)(exchange.from_a + SPECIFIC_FROM);
    int count = exchange.a->specific > exchange.b->specific ? exchange.a->specific : exchange.b->specific;
    return same_bytes(values, (char *)image((uintptr_t)values), (size_t)count * sizeof(void *));
}

/* ---------------------------------------------------------------- everything else */

static bool others_fixed(void)
{
    thread_set both = (thread_set)1 << exchange.a->number | (thread_set)1 << exchange.b->number;
    for (int i = 0; i < now.threads; i++) {
        const struct operation *pending = program_pending(i);
        if (!pending || i == exchange.a->number || i == exchange.b->number)
            continue;
        if (!same_operation(pending, pending) || !same_freed(thread_of(i), thread_of(i)))
            return false;
    }
    return !(scene_named(exchange.a->number, exchange.b->number) & both);
}

/* What tells them apart, or NULL. */
static const char *difference(void)
{
    if (!same_record())
        return "what they are about to do";
    if (!same_stack())
        return "where they are in the program, or what they will read from their stacks";
    if (!same_layout() || !same_freed(exchange.a, exchange.b) || !memory_heap(exchange.a, same_block, NULL))
        return "what they allocated";
    if (!same_local_storage() || !same_specific())
        return "their thread-local storage";
    if (!others_fixed())
        return "something else that names one of them";
    return race_alike(exchange.a->number, exchange.b->number) ? NULL : "what may still race";
}

void alike_open(void)
{
    places_open();
}

static const char *last_difference;

const char *alike_difference(void)
{
    return last_difference;
}

uint64_t alike_questions(void)
{
    return place_questions();
}

bool alike(int a, int b)
{
    if (!program_pending(a) || !program_pending(b) || a == b)
        return a == b;
    exchange.a = thread_of(a);
    exchange.b = thread_of(b);
    exchange.from_a = region_of(a);
    exchange.from_b = region_of(b);
    last_difference = difference();
    return !last_difference;
}
