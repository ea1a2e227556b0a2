/* Crashes and endless loops of the program are findings: a signal handler on a stack of its own goes back to the
 * exploration. */
#include "runtime.h"

#include "explore/explore.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ALTERNATE = 1 << 16 };

unsigned long long callbacks;  /* in this step */
unsigned long long suspicious; /* so many of them want a closer look */
bool program_cut_off;
static unsigned ticks;        /* seconds of processor time in this step */

static const char *signal_text(int number)
{
    switch (number) {
    case SIGFPE:
        return "arithmetic error (division by zero?)";
    case SIGBUS:
        return "bus error";
    case SIGILL:
        return "illegal instruction";
    case SIGTRAP:
        return "trap";
    default:
        return "segmentation fault";
    }
}

static bool overflowed(uintptr_t address)
{
    uintptr_t guard = current->self + HEAP_END;
    return address - guard < STACK_FROM - HEAP_END;
}

/* What was done ahead of joins may be the reason: then it is not done again, and this counts for nothing. */
static void forget_ahead(void)
{
    if (current->joining)
        crashed_ahead();
    current->joining = 0;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const void *pc = (const void *)registers[REG_RIP];
    void *frame = (void *)registers[REG_RBP];
    uintptr_t address = (uintptr_t)info->si_addr;
    if (number == SIGSEGV && reset_unprotect(address))
        return;
    if (!running) {
        signal(number, SIG_DFL); /* ours: let it be seen */
        return;
    }
    forget_ahead();
    found.address = address;
    if (number == SIGSEGV && overflowed(address))
        fail_from("crash", frame, pc, "stack overflow");
    if (number == SIGSEGV || number == SIGBUS)
        fail_from("crash", frame, pc, "%s at address %p", signal_text(number), (void *)address);
    fail_from("crash", frame, pc, "%s", signal_text(number));
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (!running)
        return;
    if (explore_is_over()) {
        program_cut_off = true;
        abandon();
    }
    if (++ticks <= program_options.seconds)
        return;
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    forget_ahead();
    fail_from("divergence", (void *)registers[REG_RBP], (const void *)registers[REG_RIP],
              "thread %d runs without end and without any visible operation", current->number);
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
    fault_arm();
}

/* A clock of this process: children do not inherit it. */
void fault_arm(void)
{
    struct itimerval second = {{1, 0}, {1, 0}};
    syscall(SYS_setitimer, ITIMER_VIRTUAL, &second, NULL);
}

void fault_watch(void)
{
    callbacks = 0;
    suspicious = program_options.callbacks / 100;
    ticks = 0;
}
