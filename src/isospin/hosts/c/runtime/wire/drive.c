/* Who takes over when the program is ready: what was asked for by the environment variable ISOSPIN (message.h). */
#include "explore/arena.h"
#include "explore/explore.h"
#include "graphs/graphs.h"
#include "runtime.h"
#include "pthread/orders.h"
#include "wire/message.h"

#include <string.h>

int isospin_drive(const char *orders);
void serve(void);
void replay(void);

static void set_options(const char *orders)
{
    const char *numbers = orders ? strstr(orders, "learnt=") : NULL;
    program_options.forked = option("fork");
    program_options.note_races = option("note_races");
    program_options.leaks = option("leaks");
    program_options.reuse = option("reuse");
    program_options.spurious = (unsigned)option_number("spurious", program_options.spurious);
    program_options.time_outs = (unsigned)option_number("time_outs", program_options.time_outs);
    program_options.unroll = (unsigned)option_number("unroll", 0);
    program_options.callbacks = (unsigned long long)option_number("callbacks", (long long)program_options.callbacks);
    program_options.seconds = (unsigned)option_number("seconds", program_options.seconds);
    history_open(option_text("memory"));
    orders_open();
    if (numbers)
        program_know(numbers + strlen("learnt="));
    if (option_text("visible")) /* the bytes of a race, so that both accesses are seen when it is shown */
        learn_visible((uintptr_t)option_number("visible", 0), 1);
}

int isospin_drive(const char *orders)
{
    message_open(orders);
    arena_open(option("fork"));
    knowledge_open();
    set_options(orders);
    const char *mode = option_text("mode");
    if (!mode)
        broken("this program was built to be run by isospin");
    if (strcmp(mode, "serve") == 0)
        serve();
    else if (strcmp(mode, "replay") == 0)
        replay();
    else if (option("fork"))
        explore_forked();
    else if (memory_model)
        explore_by(graphs_execution);
    else
        explore();
    return 0;
}
