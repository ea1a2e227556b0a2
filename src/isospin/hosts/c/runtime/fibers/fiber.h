/* A thread of the program is a fiber: a stack of its own on the one thread of the operating system. */
#ifndef ISOSPIN_FIBER_H
#define ISOSPIN_FIBER_H

#include <stdbool.h>

/* What lies at the saved stack pointer of a parked fiber.  The runtime is compiled so that it leaves rbx and r12 .. r15
 * alone: these are still the ones of the code that called it. */
struct parked {
    unsigned mxcsr, control; /* how to round, and what was rounded so far */
    void *r15, *r14, *r13, *r12, *rbx, *rbp;
    void *back;
};

/* Put the registers on this stack, its pointer to *from, and go on where the stack `to` was left. */
void fiber_switch(struct parked **from, struct parked *to);
/* The same without coming back. */
_Noreturn void fiber_leave(struct parked *to);
/* A stack that ends at `top` and will begin by calling `begin`, which does not return. */
struct parked *fiber_new(void *top, void (*begin)(void));

/* Do two of them compute alike with numbers that are no integers? */
bool fibers_round_alike(const struct parked *one, const struct parked *other);

/* The register from which thread-local storage is reached. */
void *fiber_base(void);
void fiber_set_base(void *base);
void fiber_prepare(void);

#endif
