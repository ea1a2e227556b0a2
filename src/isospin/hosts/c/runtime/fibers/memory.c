#include "fibers/memory.h"

static bool tell(enum part_kind kind, int owner, const void *from, size_t size, part_visit visit, void *context)
{
    struct part part = {.kind = kind, .owner = owner, .from = (uintptr_t)from, .size = size};
    return visit(&part, context);
}

/* ---------------------------------------------------------------- stacks */

const struct walk *memory_walk(const struct thread *thread)
{
    static struct walk walks[MOST_THREADS];
    static uint64_t at[MOST_THREADS]; /* which state it is of, + 1 */
    int number = thread->number;
    if (at[number] != program_moves + 1) {
        walk_frames(thread, &walks[number]);
        at[number] = program_moves + 1;
    }
    return &walks[number];
}

static uintptr_t place_in(const struct frame *frame, int32_t offset)
{
    return frame->top + (uintptr_t)(intptr_t)offset;
}

bool memory_variable(const struct frame *frame, uintptr_t address, uintptr_t *low, uintptr_t *high, size_t *stride)
{
    for (unsigned i = 0; i < frame->place->piece_count; i++) {
        const struct piece_of_frame *piece = &frame->place->pieces[i];
        *low = place_in(frame, piece->low);
        *high = place_in(frame, piece->high);
        *stride = (size_t)piece->stride;
        if (address - *low < *high - *low)
            return true;
    }
    return false;
}

static bool is_freed(const struct place *place, const struct extent *live)
{
    for (unsigned i = 0; i < place->freed_count; i++)
        if (place->freed[i].low == live->low && place->freed[i].high == live->high)
            return true;
    return false;
}

static bool visit_live(const struct frame *frame, int owner, part_visit visit, void *context)
{
    const struct place *place = frame->place;
    for (unsigned i = 0; i < place->live_count; i++) {
        const struct extent *live = &place->live[i];
        enum part_kind kind = is_freed(place, live) ? STACK_TO_FREE : STACK;
        if (!tell(kind, owner, (void *)place_in(frame, live->low), (size_t)(live->high - live->low), visit, context))
            return false;
    }
    return true;
}

static bool visit_pointed(const struct frame *frame, int owner, part_visit visit, void *context)
{
    for (unsigned i = 0; i < frame->place->pointed_count; i++) {
        const struct extent *each = &frame->place->pointed[i];
        struct part part = {
            .kind = STACK_IF_POINTED,
            .owner = owner,
            .from = place_in(frame, each->low),
            .size = (size_t)(each->high - each->low),
        };
        size_t stride;
        /* SOUND: an address of one part of a variable leads to all of it. */
        if (!memory_variable(frame, part.from, &part.low, &part.high, &stride)) {
            part.low = place_in(frame, frame->place->sp);
            part.high = frame->top;
        }
        if (!visit(&part, context))
            return false;
    }
    return true;
}

static bool visit_registers(const uintptr_t *const registers[SAVED_REGISTERS], unsigned which, int owner,
                            part_visit visit, void *context)
{
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (which >> i & 1 && !tell(STACK, owner, registers[i], sizeof(uintptr_t), visit, context))
            return false;
    return true;
}

static bool visit_argument(const struct thread *thread, part_visit visit, void *context)
{
    const struct place *place = thread->number ? place_of_function((uintptr_t)thread->start) : NULL;
    if (place && place->known && !place->registers)
        return true;
    return tell(STACK, thread->number, &thread->argument, sizeof thread->argument, visit, context);
}

static bool visit_stack(const struct thread *thread, part_visit visit, void *context)
{
    if (!has_begun(thread))
        return visit_argument(thread, visit, context);
    const struct walk *walk = memory_walk(thread);
    int owner = thread->number;
    for (int i = 0; i < walk->count; i++) {
        const struct frame *frame = &walk->frames[i];
        if (!visit_registers(frame->registers, frame->place->registers, owner, visit, context) ||
            !visit_live(frame, owner, visit, context) || !visit_pointed(frame, owner, visit, context))
            return false;
    }
    if (!walk->rest)
        return true;
    size_t size = thread->self + REGION_SIZE - walk->rest;
    return visit_registers(walk->rest_registers, ~0u, owner, visit, context) &&
           tell(STACK, owner, (void *)walk->rest, size, visit, context);
}

/* ---------------------------------------------------------------- heaps */

static bool is_live(uint8_t usable) { return usable && usable <= LIVE_UNIT; }

bool memory_heap(const struct thread *thread, part_visit visit, void *context)
{
    uintptr_t from = thread->self + HEAP_FROM;
    const uint8_t *live = live_at(from), *end = live_at(thread->heap_top);
    for (const uint8_t *at = live; at < end;) {
        if (!is_live(*at)) {
            at++;
            continue;
        }
        const uint8_t *first = at; /* before each block there are bytes that are not live */
        while (at < end && *at == 16)
            at++;
        size_t tail = at < end && is_live(*at) ? *at : 0;
        uintptr_t low = from + (size_t)(first - live) * LIVE_UNIT;
        size_t size = (size_t)(at - first) * LIVE_UNIT + tail;
        struct part part = {HEAP_IF_POINTED, thread->number, low, size, low, low + size};
        if (!visit(&part, context))
            return false;
        at += tail != 0;
    }
    return true;
}

/* ---------------------------------------------------------------- all of it */

static bool visit_record(const struct thread *thread, part_visit visit, void *context)
{
    static struct {
        uintptr_t object, second, waits_for;
        const void *result, *cleanups, *late;
    } words[MOST_THREADS]; /* as it is now; valid until the next step */
    int number = thread->number;
    words[number].object = thread->object;
    words[number].second = thread->second;
    words[number].waits_for = thread->waits_for;
    words[number].result = thread->result;
    words[number].cleanups = thread->cleanups;
    words[number].late = thread->late;
    return tell(STORAGE, number, &words[number], sizeof words[number], visit, context);
}

static bool visit_living(const struct thread *thread, part_visit visit, void *context)
{
    char *tls;
    size_t size;
    tls_block(thread, &tls, &size);
    const void *specific = (void *)(thread->self + SPECIFIC_FROM);
    return visit_record(thread, visit, context) && visit_stack(thread, visit, context) &&
           tell(STORAGE, thread->number, tls, size, visit, context) &&
           tell(STORAGE, thread->number, specific, (size_t)thread->specific * sizeof(void *), visit, context);
}

static bool visit_thread(const struct thread *thread, part_visit visit, void *context)
{
    if (thread->life == UNBORN)
        return true;
    if (!memory_heap(thread, visit, context))
        return false;
    if (thread->life == LIVING)
        return visit_living(thread, visit, context);
    return thread->joined || tell(STORAGE, thread->number, &thread->result, sizeof thread->result, visit, context);
}

bool memory_each(part_visit visit, void *context)
{
    const struct piece *pieces;
    int count = reset_pieces(&pieces);
    for (int i = 0; i < count; i++)
        if (!tell(SHARED, -1, pieces[i].from, pieces[i].size, visit, context))
            return false;
    if (!tell(SHARED, -1, &now.at_exit, sizeof now.at_exit + sizeof now.at_quick_exit, visit, context) ||
        !tell(SHARED, -1, &now.words, sizeof now.words, visit, context))
        return false;
    struct global constant;
    for (int i = 0; place_constant(i, &constant); i++)
        if (!tell(CONSTANT, -1, (void *)constant.low, constant.high - constant.low, visit, context))
            return false;
    for (int i = 0; i < now.threads; i++)
        if (!visit_thread(thread_of(i), visit, context))
            return false;
    return true;
}
