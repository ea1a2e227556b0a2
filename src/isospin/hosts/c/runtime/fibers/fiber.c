#include "runtime.h"

#include <asm/prctl.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

void fiber_begin(void); /* fiber_switch.S */

/* A thread rounds as the one that starts it; main as every program does. */
static void find_rounding(struct parked *parked)
{
    parked->mxcsr = 0x1f80;
    parked->control = 0x37f;
    if (running)
        __asm__("stmxcsr %0; fnstcw %1" : "=m"(parked->mxcsr), "=m"(parked->control));
}

struct parked *fiber_new(void *top, void (*begin)(void))
{
    uintptr_t end = (uintptr_t)top & ~(uintptr_t)15;
    struct parked *parked = (struct parked *)(end - 16 - sizeof *parked);
    *parked = (struct parked){.rbx = (void *)begin, .back = (void *)fiber_begin};
    find_rounding(parked);
    *(uintptr_t *)(end - 16) = *(uintptr_t *)(end - 8) = 0; /* the end of every chain of frames */
    return parked;
}

/* SOUND: this is in no memory of the program; fegetround and fetestexcept look at it, too. */
bool fibers_round_alike(const struct parked *one, const struct parked *other)
{
    return one->mxcsr == other->mxcsr && one->control == other->control;
}

/* Whether the processor lets us set the register without asking the kernel. */
static bool direct;

void fiber_prepare(void) { direct = getauxval(AT_HWCAP2) & 2; }

void *fiber_base(void)
{
    void *base;
    __asm__ volatile("mov %%fs:0, %0" : "=r"(base));
    return base;
}

void fiber_set_base(void *base)
{
    if (direct)
        __asm__ volatile("wrfsbase %0" ::"r"(base) : "memory");
    else
        syscall(SYS_arch_prctl, ARCH_SET_FS, base);
}
