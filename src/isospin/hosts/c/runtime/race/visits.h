/* Accesses to the stacks of other threads. */
#ifndef ISOSPIN_VISITS_H
#define ISOSPIN_VISITS_H

#include "runtime.h"

#include "fibers/region.h"

void visit_stack(int owner, uintptr_t address);

/* The current thread is about to use this address. */
static inline void visit(uintptr_t address)
{
    int owner = region_owner(address);
    if (__builtin_expect(owner >= 0 && owner != current->number && in_stack(address, owner), 0))
        visit_stack(owner, address);
}

#endif
