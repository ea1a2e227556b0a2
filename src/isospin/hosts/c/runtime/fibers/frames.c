#include "fibers/frames.h"

static void stop(struct walk *walk, uintptr_t sp, uintptr_t pc, const uintptr_t *const registers[SAVED_REGISTERS])
{
    walk->rest = sp;
    walk->rest_pc = pc;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        walk->rest_registers[i] = registers[i];
}

static void enter(struct walk *walk, uintptr_t pc, const struct place *place, uintptr_t top,
                  const uintptr_t *const registers[SAVED_REGISTERS])
{
    struct frame *frame = &walk->frames[walk->count++];
    frame->pc = pc;
    frame->place = place;
    frame->top = top;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        frame->registers[i] = registers[i];
}

/* From the innermost frame outwards.  A function says where it put the registers of its caller. */
void walk_frames(const struct thread *thread, struct walk *walk)
{
    const struct parked *parked = thread->parked;
    const uintptr_t *registers[SAVED_REGISTERS] = {
        (const uintptr_t *)&parked->rbx, (const uintptr_t *)&parked->rbp, (const uintptr_t *)&parked->r12,
        (const uintptr_t *)&parked->r13, (const uintptr_t *)&parked->r14, (const uintptr_t *)&parked->r15,
    };
    uintptr_t pc = (uintptr_t)parked->back, sp = (uintptr_t)(parked + 1), end = thread->self + REGION_SIZE;
    walk->count = 0;
    walk->rest = 0;
    for (;;) {
        const struct place *place = place_at(pc);
        uintptr_t top = sp - (uintptr_t)(intptr_t)place->sp;
        if (!place->known || walk->count == MOST_FRAMES || top <= sp || top > end || top % 8) {
            stop(walk, sp, pc, registers);
            return;
        }
        enter(walk, pc, place, top, registers);
        if (place->flags & PLACE_BEGINNING)
            return;
        for (int i = 0; i < SAVED_REGISTERS; i++)
            if (place->saved[i])
                registers[i] = (const uintptr_t *)(top + (uintptr_t)(intptr_t)place->saved[i]);
        pc = ((const uintptr_t *)top)[-1];
        sp = top;
    }
}
