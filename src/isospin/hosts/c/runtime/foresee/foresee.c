#include "foresee/foresee.h"

#include "await/await.h"
#include "foresee/again.h"
#include "foresee/beginnings.h"
#include "foresee/hopeless.h"
#include "foresee/rounds.h"
#include "graphs/graphs.h"
#include "graphs/growing.h"
#include "graphs/registers.h"
#include "runtime.h"

enum { MOST_TRIED = 256 }; /* of one question; beyond that nothing is foreseen */
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
    if (!is_copy && pays() && is_more_to_conclude())
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

/* ---------------------------------------------------------------- ways on */

static struct question {
    int thread;
    bool others; /* does it count what others may still write? */
    uint32_t at[MOST_THREADS];
    int count, tried;
    bool takes; /* an update could take what another one has */
    bool leave; /* what would take something is left for later */
    struct { /* reads that the thread would make first, but that are not part of the graph */
        const struct graph_event *like;
        event_number source;
    } first[MOST_READS];
    int firsts, given; /* how many, with those that are part of it */
    bool grows; /* it is the graph that is being run, which grows by them */
} question;
static int asked[2 * MOST_TRIED]; /* situations: so many as it counts */

/* May another thread write what lets it pass? */
static bool may_be_written(int situation)
{
    int32_t variable = read_in(situation)->variable;
    if (!question.others)
        return false;
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count;
        const struct to_come *writes = writes_after(question.at[t], &count);
        for (unsigned i = 0; t != question.thread && i < count; i++)
            if (writes[i].variable == variable && lets_pass(situation, writes[i].value))
                return true;
    }
    asked[question.count++] = situation;
    return false;
}

static int since_old; /* reads from one on that saw something old; < 0: that does not matter */

static bool leaves_from(const struct graph *g, int situation, int depth);

/* An update that cannot be, as long as another one has what it wants. */
static void would_take(const struct graph *g, const struct graph_event *like, event_number source)
{
    static struct graph made;
    question.takes = true;
    if (!question.leave)
        return;
    graph_copy(&made, g);
    set_source(&made, graph_add_like(&made, question.thread, like), source);
    offer_taker(&made);
}

/* A graph with the reads that the thread would make first. */
static void make_first(struct graph *new, const struct graph *g)
{
    graph_copy(new, g);
    for (int i = question.given; i < question.firsts; i++)
        set_source(new, graph_add_like(new, question.thread, question.first[i].like), question.first[i].source);
}

/* It is known to fit, and writes nothing: then nothing else changes by it. */
static bool leaves_after(const struct graph *g, const struct graph_event *like, event_number source, int next,
                         int depth)
{
    question.first[question.firsts].like = like;
    question.first[question.firsts++].source = source;
    bool leaves = leaves_from(g, next, depth + 1);
    question.firsts--;
    return leaves;
}

static bool leaves_with(const struct graph *g, const struct graph_event *like, event_number source, int depth)
{
    static struct graph made[MOST_READS];
    struct graph *new = &made[depth];
    struct graph_event event = *like;
    see(&event, source == NOBODY ? like->initial : g->events[source].written);
    bool grows = question.grows && !question.leave;
    enum fit fit = grows ? growing_fit_next(g, question.thread, question.firsts, source, &event) : MAY_FIT;
    if (growing_doubts() && fit != MAY_FIT) {
        make_first(new, g);
        growing_doubt(fit, admits(new, graph_add_like(new, question.thread, like), source));
    }
    int next = changes(&event) ? 0 : next_of(like->situation, (uint64_t)event.seen), firsts = question.firsts;
    if (fit == FITS && (!next || !event.writes))
        return !next || leaves_after(g, like, source, next, depth);
    if (fit != DOES_NOT_FIT) {
        make_first(new, g);
        if (admits(new, graph_add_like(new, question.thread, like), source)) {
            question.firsts = 0;
            bool leaves = !next || leaves_from(new, next, depth + 1);
            question.firsts = firsts;
            return leaves;
        }
    }
    if (event.writes)
        would_take(g, like, source);
    return false;
}

static bool leaves_by(const struct graph *g, const struct graph_event *like, int depth)
{
    /* A load of a counter has no source that could be tried.  (Where loops wait, there is none; but see that it is.) */
    if (depth == MOST_READS || question.tried > MOST_TRIED - MOST_READS || is_counter(like->variable))
        return true;
    for (event_number w = NOBODY; w < g->count; w++) {
        if (w != NOBODY && (g->events[w].variable != like->variable || !g->events[w].place))
            continue;
        int how;
        cell seen = w == NOBODY ? like->initial : g->events[w].written;
        if (like->point && await_fails(like->point, (uint64_t)seen, &how))
            continue;
        question.tried++;
        if (leaves_with(g, like, w, depth))
            return true;
    }
    return false;
}

static bool leaves_from(const struct graph *g, int situation, int depth)
{
    if (!may_fail_within(situation, MOST_READS - depth)) /* as in a loop that only counts */
        return true;
    /* SOUND: it may wait there for ever, and only a round that fails can be taken out, with what it saw. */
    if (since_old >= 0 && fails_beyond(situation, since_old + depth + 1))
        return true;
    struct graph_event like = *read_in(situation);
    like.situation = situation;
    return may_be_written(situation) || leaves_by(g, &like, depth);
}

/* Can the thread leave the round with what is there, as far as is known? */
static bool may_leave_round(const struct graph *g, int thread)
{
    struct graph_event like = {.variable = NOBODY, .source = NOBODY};
    describe_event(&like, thread); /* as the program has it now */
    question = (struct question){.thread = thread, .grows = true};
    since_old = -1;
    return leaves_by(g, &like, 0) || question.takes;
}

/* ---------------------------------------------------------------- in vain */

/* Will nobody else write the variable?  That is relied on then. */
static bool is_left_alone(int32_t variable)
{
    for (int t = 0; t < program_threads_ever(); t++) {
        unsigned count;
        const struct to_come *writes = writes_after(question.at[t], &count);
        for (unsigned i = 0; t != question.thread && i < count; i++)
            if (writes[i].variable == variable)
                return false;
    }
    asked[question.count++] = no_write_of(variable);
    return true;
}

/* The newest write of the variable that was there when the read came in, or NOBODY. */
static event_number newest_before(const struct graph *g, const struct graph_event *read)
{
    event_number newest = NOBODY;
    for (event_number e = 0; e < g->count; e++)
        if (g->events[e].variable == read->variable && g->events[e].write_stamp < read->stamp &&
            g->events[e].place > graph_place_of(g, newest))
            newest = e;
    return newest;
}

static bool is_old(const struct graph *g, const struct graph_event *read)
{
    return !is_unordered(read->variable) && graph_place_of(g, newest_before(g, read)) > graph_place_of(g, read->source);
}

/* Did it see an old write, though a newer one was there?  SOUND: no revisit takes it back then.  That of a register may
 * come to be what would be inserted; so may one that waits, unless it could always have seen the last. */
static bool is_fixed(const struct graph *g, const struct graph_event *read)
{
    event_number newest = newest_before(g, read);
    int how;
    if (!is_old(g, read))
        return false;
    return !read->point ||
           (!await_fails(read->point, (uint64_t)g->events[newest].written, &how) && is_left_alone(read->variable));
}

/* The read before it in the same round, or NOBODY. */
static event_number read_before(const struct graph *g, event_number read)
{
    event_number before = g->events[read].previous;
    if (before == NOBODY || g->events[before].thread != g->events[read].thread || !g->events[before].reads)
        return NOBODY;
    const struct graph_event *event = &g->events[before];
    return next_of(event->situation, (uint64_t)event->seen) == g->events[read].situation ? before : NOBODY;
}

static int reads_since(const struct graph *g, event_number old, event_number read)
{
    int count = 1;
    for (; read != old; read = read_before(g, read))
        count++;
    return count;
}

/* Back to a read that is fixed; what was read behind it could become something else. */
static event_number fixed_before(const struct graph *g, event_number read)
{
    while (read != NOBODY && !is_fixed(g, &g->events[read])) {
        if (!g->events[read].situation || may_be_written(g->events[read].situation))
            return NOBODY;
        read = read_before(g, read);
    }
    return read;
}

/* Did an event come in for a read of the thread, from `fixed` on up to `read`, which was taken back for it? */
static bool came_in_for(const struct graph *g, const struct relations *r, const struct graph_event *event,
                        event_number fixed, event_number read)
{
    for (event_number e = read;; e = g->events[e].previous) {
        int32_t stamp = g->events[e].stamp;
        if (is_in(r->past[e], event) && (event->stamp > stamp || event->write_stamp > stamp))
            return true;
        if (e == fixed)
            return false;
    }
}

/* Is everything that came in behind it of its thread, or something for which a read of it was taken back?  SOUND: no
 * revisit takes that back.  What others did by themselves, and the thread saw then, may still be taken back, with what
 * it saw, but not what it saw before. */
static bool is_newest(const struct graph *g, event_number fixed, event_number read)
{
    static struct relations own;
    if (!growing_run(g))
        relate(&own, g);
    const struct relations *relations = growing_run(g) ? growing_relations(g) : &own;
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool later = event->stamp > g->events[fixed].stamp || event->write_stamp > g->events[fixed].stamp;
        if (event->write_stamp == PENDING)
            return false;
        if (later && event->thread != g->events[read].thread && !came_in_for(g, relations, event, fixed, read))
            return false;
    }
    return true;
}

static bool knows_others(const struct graph *g, int thread)
{
    question = (struct question){.thread = thread, .others = true};
    find_beginnings(g, question.at);
    for (int t = 0; t < program_threads_ever(); t++)
        if (t != thread && !question.at[t])
            return false;
    return true;
}

/* Nothing else was relied on than what was seen to be written. */
static void rely(void)
{
    for (int i = 0; i < question.count; i++)
        for (int t = 0; t < program_threads_ever(); t++)
            if (t != question.thread)
                rely_on(question.at[t], asked[i]);
}

/* The thread of a read cannot leave its round. */
static bool is_caught(const struct graph *g, event_number read)
{
    const struct graph_event *event = &g->events[read];
    int next = next_of(event->situation, (uint64_t)event->seen);
    if (!next || event->writes || event->stuck || !knows_others(g, event->thread))
        return false;
    question.grows = growing_has_first(g, read);
    question.firsts = question.given = question.grows;
    if (leaves_from(g, next, 0))
        return false;
    rely();
    return true;
}

/* SOUND: what the update would take is what nothing else leads to. */
static void leave_takers(const struct graph *g, event_number read)
{
    if (!question.takes)
        return;
    question.leave = true;
    question.count = question.tried = 0;
    leaves_from(g, next_of(g->events[read].situation, (uint64_t)g->events[read].seen), 0);
}

static bool catches_itself(const struct graph *g, event_number read)
{
    event_number fixed = fixed_before(g, read);
    if (fixed == NOBODY || !is_newest(g, fixed, read))
        return false;
    rely();
    since_old = reads_since(g, fixed, read);
    if (!is_caught(g, read))
        return false;
    leave_takers(g, read);
    return true;
}

/* Is it not known that the thread writes nothing from there on?  If it is, that is relied on. */
static bool writes_more(int thread)
{
    unsigned count;
    writes_after(question.at[thread], &count);
    if (!question.at[thread] || count)
        return true;
    rely_on(question.at[thread], NO_WRITE);
    return false;
}

/* May anybody still write, but for the thread that waits for ever?  If it is known that nobody does, that is relied
 * on. */
static bool others_write_more(int stuck)
{
    for (int t = 0; t < program_threads_ever(); t++)
        if (t != stuck && writes_more(t))
            return true;
    return false;
}

/* Does somebody wait for ever who would not?  SOUND: nothing takes that back any more, no write and no lock. */
static bool waits_in_vain(const struct graph *g, event_number e)
{
    const struct graph_event *event = &g->events[e];
    return event->stuck && event->source != graph_last_write(g, event->variable) && !has_locks(g) &&
           !others_write_more(event->thread);
}

/* Did nothing of others come in between two reads of a thread, and will all that is there stay as it is? */
static bool are_together(const struct graph *g, event_number first, event_number second)
{
    for (event_number e = 0; e < g->count; e++) {
        const struct graph_event *event = &g->events[e];
        bool between = event->stamp > g->events[first].stamp && event->stamp < g->events[second].stamp;
        if (event->write_stamp == PENDING || (between && event->thread != g->events[first].thread))
            return false;
    }
    return true;
}

/* A thread waits for ever at the end of a round in which it saw what is not the last.  SOUND: in a round that begins
 * later it would see the last, and wait there, if it waits for ever.  It does: nobody will write what it waits for, and
 * no revisit takes it back without the read that is fixed. */
static bool waits_too_early(const struct graph *g, event_number read)
{
    event_number fixed = fixed_before(g, read);
    if (fixed == NOBODY || !are_together(g, fixed, read) ||
        fails_beyond(g->events[read].situation, reads_since(g, fixed, read)))
        return false;
    rely();
    return true;
}

/* The newest read of the round that saw what is not the last any more, or NOBODY. */
static event_number outdated_before(const struct graph *g, event_number read)
{
    while (read != NOBODY && (is_unordered(g->events[read].variable) ||
                              g->events[read].source == graph_last_write(g, g->events[read].variable)))
        read = read_before(g, read);
    return read;
}

/* The same, where nothing takes it back, so that nothing is relied on. */
static bool waits_outdated(const struct graph *g, event_number read)
{
    event_number old = outdated_before(g, read);
    return old != NOBODY && !fails_beyond(g->events[read].situation, reads_since(g, old, read)) &&
           stays_as_it_is(g, read);
}

/* Is it caught in a round in which it saw what is not the last?  Else it may wait for ever. */
static bool is_caught_with_old(const struct graph *g, event_number read)
{
    event_number old = read;
    while (old != NOBODY && g->events[old].source == graph_last_write(g, g->events[old].variable))
        old = read_before(g, old);
    if (old == NOBODY)
        return false;
    since_old = reads_since(g, old, read);
    return is_caught(g, read);
}

/* Is another thread caught, and nothing will take that back? */
static bool catches_another(const struct graph *g, event_number read)
{
    int thread = g->events[read].thread;
    if (!is_fixed(g, &g->events[read]) || !is_newest(g, read, read) || writes_more(thread))
        return false;
    rely();
    for (int t = 0; t < program_threads_ever(); t++) {
        event_number last = graph_last_of(g, t);
        if (t == thread || last == NOBODY || g->events[last].thread != t)
            continue;
        /* What it would take does not give way any more. */
        if (waits_in_vain(g, last) || (g->events[last].reads && is_caught_with_old(g, last)))
            return true;
    }
    return false;
}

/* Is there one that may be fixed? */
static bool has_old(const struct graph *g, event_number read)
{
    while (read != NOBODY && !is_old(g, &g->events[read]))
        read = read_before(g, read);
    return read != NOBODY;
}

bool is_in_vain(const struct graph *g, event_number read)
{
    if (has_counters(g)) /* SOUND: what a load of one sees is no single write; where loops wait there are none */
        return false;
    const struct graph_event *event = &g->events[read];
    if (!wanted || !event->reads || event->writes || graph_last_of(g, event->thread) != read)
        return false;
    if (event->stuck && (waits_outdated(g, read) || is_written_again(g, read)))
        return true;
    if (!event->situation || !has_old(g, read) || !knows_others(g, event->thread))
        return false;
    if (event->stuck)
        return waits_too_early(g, read);
    if (catches_itself(g, read))
        return true;
    return knows_others(g, event->thread) && catches_another(g, read);
}

bool newest_is_in_vain(const struct graph *g)
{
    return g->count && is_in_vain(g, g->fresh == NOBODY ? g->count - 1 : g->fresh);
}

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
