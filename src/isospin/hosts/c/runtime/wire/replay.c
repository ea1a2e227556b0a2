/* One schedule, followed inside the process: for a debugger, which sees the user's code run as it did.
 *
 * The steps are in a file that the option `steps` names: a line `THREAD CHOICE` for each.
 */
#include "explore/explore.h"
#include "symmetry/alike.h"
#include "wire/message.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 22 };

void replay(void);
void replay_step(int number, int thread);
void replay_ends(const struct finding *found);

/* Where debuggers stop: before each step, and at the end. */
__attribute__((noinline)) void replay_step(int number, int thread)
{
    __asm__ volatile("" : : "r"(number), "r"(thread) : "memory");
}

__attribute__((noinline)) void replay_ends(const struct finding *found)
{
    if (found)
        dprintf(2, "isospin: %s: %s\n", found->kind, found->message);
    else
        dprintf(2, "isospin: the schedule ends, and nothing is wrong\n");
}

static char *read_steps(void)
{
    static char text[MOST];
    const char *name = option_text("steps");
    int file = name ? open(name, O_RDONLY) : -1;
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    text[size > 0 ? size : 0] = 0;
    if (file >= 0)
        close(file);
    return text;
}

void replay(void)
{
    const struct finding *found = NULL;
    char *rest = read_steps(), *end;
    alike_open();
    program_restart();
    for (int number = 1; !found; number++, rest = end) {
        int thread = (int)strtol(rest, &end, 10);
        if (end == rest || !program_pending(thread) || !program_enabled(thread))
            break;
        replay_step(number, thread);
        found = program_step(thread, (int)strtol(end, &end, 10));
    }
    replay_ends(found ? found : program_stuck());
}
