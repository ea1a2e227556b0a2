#include "memory.h"

#include <link.h>
#include <string.h>

enum { MOST_CONSTANTS = 16 };
static struct {
    const void *from;
    size_t size;
} constants[MOST_CONSTANTS];
static int constant_count;

/* The executable stands first. */
static int find_constants(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < module->dlpi_phnum && constant_count < MOST_CONSTANTS; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        bool writable = part->p_type == PT_LOAD && part->p_flags & PF_W;
        if ((part->p_type != PT_LOAD || part->p_flags & (PF_W | PF_X)) && part->p_type != PT_GNU_RELRO)
            continue;
        if (!writable) {
            constants[constant_count].from = (void *)(module->dlpi_addr + part->p_vaddr);
            constants[constant_count++].size = part->p_memsz;
        }
    }
    return 1;
}

void memory_open(void)
{
    dl_iterate_phdr(find_constants, NULL);
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

static bool visit_extents(const struct frame *frame, const struct extent *list, unsigned count, enum memory_kind kind,
                          int owner, memory_visit visit, void *context)
{
    for (unsigned i = 0; i < count; i++)
        if (!visit(kind, owner, (void *)(frame->top + (uintptr_t)(intptr_t)list[i].low),
                   (size_t)(list[i].high - list[i].low), context))
            return false;
    return true;
}

static bool visit_frame(const struct frame *frame, int owner, memory_visit visit, void *context)
{
    const struct place *place = frame->place;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (place->registers >> i & 1 && !visit(OWN, owner, frame->registers[i], sizeof(uintptr_t), context))
            return false;
    return visit_extents(frame, place->live, place->live_count, OWN, owner, visit, context) &&
           visit_extents(frame, place->pointed, place->pointed_count, OWN_IF_POINTED, owner, visit, context);
}

static bool visit_stack(const struct thread *thread, memory_visit visit, void *context)
{
    if (!has_begun(thread))
        return visit(OWN, thread->number, &thread->argument, sizeof thread->argument, context);
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++)
        if (!visit_frame(&walk->frames[i], thread->number, visit, context))
            return false;
    if (!walk->rest)
        return true;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (!visit(OWN, thread->number, walk->rest_registers[i], sizeof(uintptr_t), context))
            return false;
    return visit(OWN, thread->number, (void *)walk->rest, thread->self + REGION_SIZE - walk->rest, context);
}

/* ---------------------------------------------------------------- heaps */

static bool is_live(uint8_t usable)
{
    return usable && usable <= 16;
}

bool memory_heap(const struct thread *thread, memory_visit visit, void *context)
{
    uintptr_t from = thread->self + HEAP_FROM;
    const uint8_t *live = live_at(from), *end = live_at(thread->heap_top);
    for (const uint8_t *at = live; at < end;) {
        if (!is_live(*at)) {
            at++;
            continue;
        }
        const uint8_t *first = at;
        while (at < end && *at == 16)
            at++;
        size_t tail = at < end && is_live(*at) ? *at : 0;
        size_t size = (size_t)(at - first) * 16 + tail;
        if (!visit(OWN, thread->number, (void *)(from + (size_t)(first - live) * 16), size, context))
            return false;
        at += tail != 0;
    }
    return true;
}

/* ---------------------------------------------------------------- all of it */

static bool visit_record(const struct thread *thread, memory_visit visit, void *context)
{
    const uintptr_t words[] = {
        thread->object, thread->second, thread->waits_for, (uintptr_t)thread->result, (uintptr_t)thread->cleanups,
        (uintptr_t)thread->late,
    };
    return visit(OWN, thread->number, words, sizeof words, context);
}

static bool visit_living(const struct thread *thread, memory_visit visit, void *context)
{
    char *tls;
    size_t size;
    tls_block(thread, &tls, &size);
    return visit_record(thread, visit, context) && visit_stack(thread, visit, context) &&
           visit(OWN, thread->number, tls, size, context) &&
           visit(OWN, thread->number, (void *)(thread->self + SPECIFIC_FROM),
                 (size_t)thread->specific * sizeof(void *), context);
}

static bool visit_thread(const struct thread *thread, memory_visit visit, void *context)
{
    if (thread->life == UNBORN)
        return true;
    if (!memory_heap(thread, visit, context))
        return false;
    if (thread->life == LIVING)
        return visit_living(thread, visit, context);
    return thread->joined || visit(OWN, thread->number, &thread->result, sizeof thread->result, context);
}

bool memory_each(memory_visit visit, void *context)
{
    const struct piece *pieces;
    int count = reset_pieces(&pieces);
    for (int i = 0; i < count; i++)
        if (!visit(SHARED, -1, pieces[i].from, pieces[i].size, context))
            return false;
    if (!visit(SHARED, -1, &now.at_exit, sizeof now.at_exit, context))
        return false;
    for (int i = 0; i < constant_count; i++)
        if (!visit(CONSTANT, -1, constants[i].from, constants[i].size, context))
            return false;
    for (int i = 0; i < now.threads; i++)
        if (!visit_thread(thread_of(i), visit, context))
            return false;
    return true;
}
