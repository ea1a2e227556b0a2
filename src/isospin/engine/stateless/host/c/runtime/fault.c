/* Crashes and endless loops of the program are findings: a signal handler on a stack of its own goes back to the
 * exploration. */
#include "runtime.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { ALTERNATE = 1 << 16 };

unsigned long long callbacks; /* in this step */
static unsigned ticks;        /* seconds of processor time in this step */

static const char *signal_text(int number)
{
    switch (number) {
    case SIGFPE: return "arithmetic error (division by zero?)";
    case SIGBUS: return "bus error";
    case SIGILL: return "illegal instruction";
    case SIGTRAP: return "trap";
    default: return "segmentation fault";
    }
}

static bool overflowed(uintptr_t address)
{
    uintptr_t guard = current->self + HEAP_END;
    return address - guard < STACK_FROM - HEAP_END;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    const void *pc = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uintptr_t address = (uintptr_t)info->si_addr;
    if (!running) {
        signal(number, SIG_DFL); /* ours: let it be seen */
        return;
    }
    if (current->joining)
        crashed_ahead();
    current->joining = 0;
    found.address = address;
    if (number == SIGSEGV && overflowed(address))
        fail("crash", pc, "stack overflow");
    if (number == SIGSEGV || number == SIGBUS)
        fail("crash", pc, "%s at address %p", signal_text(number), (void *)address);
    fail("crash", pc, "%s", signal_text(number));
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (!running || ++ticks <= program_options.seconds)
        return;
    const void *pc = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (current->joining)
        crashed_ahead();
    current->joining = 0;
    fail("divergence", pc, "thread %d runs without end and without any visible operation", current->number);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(number, &action, NULL);
}

void fault_prepare(void)
{
    stack_t stack = {.ss_sp = own_memory(ALTERNATE), .ss_size = ALTERNATE};
    sigaltstack(&stack, NULL);
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++)
        handle(crashes[i], on_crash);
    handle(SIGVTALRM, on_tick);
    struct itimerval second = {{1, 0}, {1, 0}};
    setitimer(ITIMER_VIRTUAL, &second, NULL);
}

void fault_watch(void)
{
    callbacks = 0;
    ticks = 0;
}
