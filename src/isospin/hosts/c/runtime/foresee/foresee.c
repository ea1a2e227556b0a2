#include "foresee/foresee.h"

#include "await/await.h"
#include "foresee/seen/beginnings.h"
#include "foresee/hopeless.h"
#include "foresee/seen/rounds.h"
#include "foresee/seen/spots.h"
#include "foresee/ways.h"
#include "graphs/graphs.h"
#include "runtime.h"

/* Runs of searches that had to start again; more only if the last of them got far: so it does not go on for ever. */
enum { MOST_LOST = 4096, TIMES_LOST = 4 };
/* Runs; later it pays to start again only if one of so many was in vain. */
enum { EARLY = 256, PART_VAIN = 64 };
enum { CALM = 16 }; /* so many runs without news, and a copy will hardly have any, either */

static bool wanted, is_copy, gives_up;
static unsigned runs, vain, lost; /* of this search; of these those in vain; of those before */
static unsigned wrong; /* so many runs, and it turned out that something was foreseen wrongly; 0: nothing */
static unsigned calm; /* runs since anything was learnt that a copy could not tell */

bool foresees(void) { return wanted; }

void foresaw_wrongly(void)
{
    if (!wrong)
        wrong = runs + 1;
}

bool foresees_anew(bool at_once)
{
    if (!wrong || (!at_once && runs < 2 * wrong))
        return false;
    lost += runs;
    gives_up |= lost > MOST_LOST && lost / TIMES_LOST > runs;
    return true;
}

void foresee_open(bool asked)
{
    wanted = asked && !gives_up;
    runs = vain = wrong = 0;
    rely_on_nothing();
    await_forget_conclusions();
    spots_open();
    if (wanted)
        conclude_failures();
}

/* Does it pay to start again for what is known now?  Later it is asked for seldom: what is lost then is no more than
 * what is still to come, as far as can be told. */
static bool pays(void) { return runs < EARLY || (!(runs & (runs - 1)) && vain * PART_VAIN > runs); }

void foresee_writes(const struct graph *g, bool in_vain)
{
    static uint64_t before;
    runs++;
    vain += in_vain;
    calm = foresight_known() == before ? calm + 1 : 0;
    before = foresight_known();
    if (!wanted)
        return;
    note_writes(g);
    if (!is_copy && pays() && (is_more_to_conclude() || spots_are_more()))
        foresaw_wrongly();
}

void foresee_waiting(int thread)
{
    if (wanted)
        note_waiting(thread);
}

/* Writes and beginnings have names in which numbers of objects are. */
uint64_t foresight_known(void) { return wanted ? objects_ever() : 0; }

struct foresight foresight_so_far(void)
{
    is_copy = true;
    return (struct foresight){noted_so_far(), rounds_noted_so_far()};
}

bool foresight_tell(const struct foresight *since, char *room, size_t size)
{
    if (!wanted)
        return true;
    size_t used = tell_rounds(since->rounds, room, size);
    return used && tell_noted(since->noted, room + used, size - used);
}

bool foresight_hear(char *room)
{
    if (!wanted)
        return true;
    size_t used = hear_rounds(room);
    return used && hear_noted(room + used, room);
}

bool foresight_can_be_shared(void) { return !wanted || calm >= (unsigned)option_number("calm", CALM); }

/* ---------------------------------------------------------------- who comes first */

/* Was it seen to write anything after what it did? */
static bool may_write(const struct graph *g, int thread)
{
    uint32_t at[MOST_THREADS];
    unsigned count = 1;
    find_beginnings(g, at);
    if (at[thread])
        writes_after(at[thread], &count);
    return count;
}

enum turn turn_in_round(struct graph *g, int thread)
{
    if (!wanted || !may_leave_round(g, thread))
        return program_await(thread) ? AWAITS : MAY_WAIT;
    return may_write(g, thread) ? LEAVES_AND_WRITES : LEAVES;
}

bool is_in_round(int thread)
{
    bool straight;
    return is_access(program_pending(thread), thread) &&
           (program_await(thread) || (wanted && program_situation(thread, &straight)));
}
