#include "runtime.h"

#include <asm/prctl.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

void fiber_begin(void); /* fiber_switch.S */

struct parked *fiber_new(void *top, void (*begin)(void))
{
    uintptr_t end = (uintptr_t)top & ~(uintptr_t)15;
    struct parked *parked = (struct parked *)(end - 16 - sizeof *parked);
    *parked = (struct parked){.mxcsr = 0x1f80, .control = 0x37f, .rbx = (void *)begin, .back = (void *)fiber_begin};
    *(uintptr_t *)(end - 16) = *(uintptr_t *)(end - 8) = 0; /* the end of every chain of frames */
    return parked;
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
