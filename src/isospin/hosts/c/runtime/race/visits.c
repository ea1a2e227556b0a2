/* Functions whose variables are used by other threads, which know their addresses.
 *
 * Reference: -.  The chain of frame pointers is walked, which all code under control keeps.
 * Differs: -.  SOUND: where it cannot be walked, it may be any function (NULL); and the function that the one around
 * the address calls may have it among its arguments.
 */
#include "race/visits.h"

#include "fibers/frames.h"
#include "fibers/region.h"

static void learn_around(const struct thread *owner, uintptr_t address)
{
    void **frame = owner->entry;
    const void *called = NULL;
    while (in_stack((uintptr_t)frame, owner->number) && (void **)frame[0] > frame) {
        void **outer = frame[0];
        if (address < (uintptr_t)(outer + 2)) {
            learn_visit(frame[1]);
            if (called)
                learn_visit(called);
            return;
        }
        called = frame[1];
        frame = outer;
    }
    learn_visit(NULL);
}

void visit_stack(int owner, uintptr_t address)
{
    const struct thread *other = thread_of(owner);
    if (other->life == LIVING && has_begun(other))
        learn_around(other, address);
}
