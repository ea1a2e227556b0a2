/* Requests, one a line:
 *
 *     restart             back to the initial state
 *     step THREAD CHOICE  one step
 *     run THREAD MOST     at most so many steps, each with the first choice: of this thread until it would join or end,
 *                         or, with -1, of the first one that can go on, until nobody can; or until something is found
 *     stuck               nothing is enabled: what is wrong with that?
 *     alike A B           is there a renaming that takes the first thread to the second?
 *     limits              what speaks against `holds`?  Messages `weak` (program.h), then `limits` with a reason or
 * none
 *
 * The first four are answered by a message `state`: what was found, whether something was learnt so that the search
 * has to start again, what was known before this execution, what the program said
 * that it saw (outcomes.h), why it needs a process of its own, and for each thread that
 * lives one row of numbers: thread, kind, waits, enabled, choices, joins, pc, entry (where its frames begin), how many
 * spans, then for each of them space, from, size, writes, decides.  The last one is answered by a message `alike`: for
 * each thread that moves it and its image, for each cell that moves where it is, where its image is, and its size.
 */
#include "symmetry/alike.h"
#include "wire/beginning.h"
#include "explore/explore.h"
#include "graphs/history.h"
#include "wire/message.h"
#include "wire/outcomes.h"
#include "race/race.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static void tell_operation(int thread, const struct operation *op)
{
    bool enabled = program_enabled(thread);
    message_item(thread);
    message_item(op->kind);
    message_item(op->waits);
    message_item(enabled);
    message_item(enabled ? program_choices(thread) : 0);
    message_item((long long)op->joins);
    message_item((long long)(uintptr_t)op->pc);
    message_item((long long)(uintptr_t)thread_of(thread)->entry);
    message_item(op->spans);
    for (int i = 0; i < op->spans; i++) {
        message_item(op->span[i].space);
        message_item((long long)op->span[i].from);
        message_item(op->span[i].size);
        message_item(op->span[i].writes);
        message_item(op->span[i].decides);
    }
}

/* Of an atomic access whose source was chosen. */
static void tell_seen(void)
{
    long long seen[MOST_SEEN];
    int count = memory_model ? history_seen(seen) : 0;
    message_list("seen");
    for (int i = 0; i < count; i++)
        message_item(seen[i]);
    message_list_end();
}

/* What the thread that moved knows of the others, so that whoever reads it sees what happens before what: first the
 * number that its accesses had before the step. */
static void tell_clock(int thread, uint32_t before)
{
    message_list("clock");
    if (thread >= 0)
        message_item(before);
    for (int t = 0; thread >= 0 && t < program_threads(); t++)
        message_item(race_clock(thread)[t]);
    message_list_end();
}

static void tell_state(const struct finding *f, int thread, uint32_t before)
{
    message_begin(MESSAGE_STATE);
    if (f)
        message_finding(f);
    message_list("pending");
    for (int t = 0; t < program_threads(); t++)
        if (program_pending(t))
            tell_operation(t, program_pending(t));
    message_list_end();
    tell_seen();
    tell_clock(thread, before);
    message_number("again", program_learnt());
    message_text("needs_fork", program_needs_fork() ? program_needs_fork() : "");
    message_text("outcome", outcomes_now());
    program_learnt_message();
    message_end();
}

static void tell_limits(void)
{
    program_weak_messages();
    program_stranger_messages();
    program_visit_messages();
    message_begin(MESSAGE_LIMITS);
    message_text("reason", program_incomplete() ? program_incomplete() : "");
    message_end();
}

/* What follows the first word of a line, if it is this one; else NULL. */
static const char *after(const char *line, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(line, word, length) && line[length] == ' ' ? line + length : NULL;
}

/* False: nobody asks any more. */
static bool answer(const char *line)
{
    const char *rest;
    if (!line)
        return false;
    if (!strcmp(line, REQUEST_RESTART)) {
        program_restart();
        tell_state(NULL, -1, 0); /* with all that is known by now */
    } else if ((rest = after(line, REQUEST_STEP))) {
        char *end;
        int thread = (int)strtol(rest, &end, 10);
        uint32_t before = race_clock(thread)[thread];
        history_begin_step();
        const struct finding *found = program_step(thread, (int)strtol(end, NULL, 10));
        tell_state(found, thread, before);
    } else if ((rest = after(line, REQUEST_RUN))) {
        char *end;
        int thread = (int)strtol(rest, &end, 10);
        tell_state(run_steps(thread, strtol(end, NULL, 10)), -1, 0);
    } else if (!strcmp(line, REQUEST_STUCK)) {
        tell_state(program_stuck(), -1, 0);
    } else if ((rest = after(line, REQUEST_ALIKE))) {
        char *end;
        int first = (int)strtol(rest, &end, 10);
        tell_alike(first, (int)strtol(end, NULL, 10));
    } else if (!strcmp(line, REQUEST_LIMITS)) {
        tell_limits();
    } else {
        return false;
    }
    return true;
}

void serve(void)
{
    alike_open();
    outcomes_open();
    while (answer(message_receive()))
        ;
    program_close();
}
