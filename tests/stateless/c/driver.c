/* A stand-in for the exploration, for tests of the runtime alone: every schedule, or one, or random ones.
 *
 * Orders: "mode=all limit=N", "mode=one steps=0,0,1:2,...", each with the options of program.h.  What happened is written
 * to descriptor 3 as lines.
 */
#include "arena.h"
#include "contract.h"
#include "message.h"
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 4000 };
static struct { int thread, choice; } path[DEEPEST];
static int length;
static long executions, steps;

static void say(const char *format, ...)
{
    char line[1024];
    va_list parts;
    va_start(parts, format);
    int n = vsnprintf(line, sizeof line, format, parts);
    va_end(parts);
    (void)!write(3, line, (size_t)n);
}

static void say_finding(const struct finding *f)
{
    say("finding %s thread=%d other=%d %s\n", f->kind, f->thread, f->other, f->message);
}

/* The next alternative after (thread, choice) in the current state, or -1. */
static int next(int thread, int choice, int *chosen)
{
    if (thread >= 0 && choice + 1 < program_choices(thread)) {
        *chosen = choice + 1;
        return thread;
    }
    *chosen = 0;
    for (int t = thread + 1; t < program_threads(); t++)
        if (program_enabled(t))
            return t;
    return -1;
}

static const char *const kinds[] = {
#define ENTRY(name, text) text,
    OPERATION_KINDS(ENTRY)
#undef ENTRY
};

static const struct finding *step(int thread, int choice, bool talk)
{
    const struct operation *operation = program_pending(thread);
    steps++;
    if (talk)
        say("step %d.%d %s spans=%d\n", thread, choice, kinds[operation->kind], operation->spans);
    return program_step(thread, choice);
}

/* One execution: the given path, then always the first that can move.  False: there is no other one. */
static bool execute(int given, bool talk)
{
    program_restart();
    executions++;
    const struct finding *f = NULL;
    for (length = 0; length < DEEPEST && !f; length++) {
        if (length >= given) {
            path[length].thread = next(-1, 0, &path[length].choice);
            if (path[length].thread < 0)
                break;
        }
        f = step(path[length].thread, path[length].choice, talk);
    }
    if (!f)
        f = program_stuck();
    if (f)
        say_finding(f);
    else
        say("done\n");
    return length < DEEPEST;
}

/* Depth first: change the last step that has another alternative.  States are reached by running again. */
static bool backtrack(void)
{
    int last = length;
    while (last-- > 0) {
        program_restart();
        for (int i = 0; i < last; i++)
            program_step(path[i].thread, path[i].choice);
        int choice, thread = next(path[last].thread, path[last].choice, &choice);
        if (thread < 0)
            continue;
        path[last].thread = thread;
        path[last].choice = choice;
        length = last + 1;
        return true;
    }
    return false;
}

static void all(long limit)
{
    int given = 0;
    bool talk = false;
    for (;;) {
        if (!execute(given, talk)) {
            say("too deep\n");
            return;
        }
        if (program_learnt()) {
            say("learnt\n");
            given = 0;
            continue;
        }
        if (executions >= limit || !backtrack())
            return;
        given = length;
    }
}

static void one(const char *text)
{
    int given = 0;
    for (const char *p = text; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL, given++) {
        path[given].thread = atoi(p);
        const char *colon = strpbrk(p, ":,");
        path[given].choice = colon && *colon == ':' ? atoi(colon + 1) : 0;
    }
    execute(given, true);
}

int isospin_drive(const char *orders);
int isospin_drive(const char *orders)
{
    message_open(orders);
    arena_open(option("forked"));
    program_options.note_races = option("note_races");
    program_options.leaks = option("leaks");
    program_options.reuse = option("reuse");
    program_options.spurious = (unsigned)option_number("spurious", 0);
    program_options.time_outs = (unsigned)option_number("time_outs", 2);
    program_options.callbacks = (unsigned long long)option_number("callbacks", 1000000);
    program_options.seconds = (unsigned)option_number("seconds", 1);
    const char *mode = option_text("mode");
    if (mode && strcmp(mode, "all") == 0) {
        all(option_number("limit", 100000));
    } else if (mode && strcmp(mode, "repeat") == 0) {
        for (long left = option_number("limit", 100000); left; left--)
            execute(0, false);
    } else {
        static char steps_text[4096];
        const char *text = option_text("steps");
        strncpy(steps_text, text ? text : "", sizeof steps_text - 1);
        one(steps_text);
    }
    if (program_incomplete())
        say("incomplete %s\n", program_incomplete());
    if (program_needs_fork())
        say("fork %s\n", program_needs_fork());
    for (int i = 0; i < program_notes(); i++)
        say("note %s thread=%d other=%d\n", program_note(i)->kind, program_note(i)->thread, program_note(i)->other);
    say("executions %ld steps %ld\n", executions, steps);
    return 0;
}
