/* What was learnt from executions and holds for the next ones.
 *
 * It is in the search's memory, not in the program's: a reset does not touch it, and in fork mode all processes share
 * it.
 */
#include "graphs/history.h"
#include "graphs/unordered/registers.h"
#include "runtime.h"

#include "explore/arena.h"
#include "await/await.h"
#include "await/overlooked.h"
#include "explore/commute.h"
#include "foresee/foresee.h"
#include "system/files.h"
#include "wire/message.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE = 1 << 20,
    MOST_NOTES = 64,
    REASON = 200,
    MOST_SHARED = 4096,
    MOST_WEAK = 64,
    MOST_MET = 16,
    CALLS = 6,
    MOST_VISITS = 64
};

struct weak_note {
    const void *pc, *other_pc, *calls[CALLS];
    int how, other_how;
};

struct meeting { /* of the program with a stranger */
    const char *name;
    const void *pc, *calls[CALLS];
};

static struct knowledge {
    uint8_t child[MOST_THREADS][MOST_THREADS]; /* number of the i-th child of a thread, 0: not given yet */
    uint8_t parent[MOST_THREADS], place[MOST_THREADS];
    int threads;
    unsigned granules;         /* that are visible now */
    unsigned learnt;           /* with those that will be from the next execution on */
    uintptr_t list[TABLE / 2]; /* them, in the order in which they were learnt */
    uintptr_t table[TABLE];    /* the visible ones as a hash table */
    bool order; /* of updates that could commute: it counts */
    bool single_joins; /* also as granule 0 in the next list */
    bool no_seats;
    int shared; /* granules that others touch while a thread is ahead of its joins */
    uintptr_t shared_list[MOST_SHARED];
    char incomplete[REASON], fork[REASON];
    const void *incomplete_pc; /* where; NULL: nowhere in particular */
    int notes;
    struct finding note[MOST_NOTES];
    int weak;
    struct weak_note weak_note[MOST_WEAK];
    int meetings;
    struct meeting meeting[MOST_MET];
    int visits;
    const void *visit[MOST_VISITS];
} *known;

bool learnt;

/* SOUND: before the first fork, so that all processes mean the same place. */
void knowledge_open(void)
{
    known = arena_take(sizeof *known);
    known->threads = 1;
    await_open();
    overlooked_open();
    journal_open();
}

/* ---------------------------------------------------------------- numbers of threads */

static int name(int parent, int index)
{
    struct knowledge *k = known;
    if (k->threads == MOST_THREADS)
        return -1;
    int number = k->threads++;
    k->parent[number] = (uint8_t)parent;
    k->place[number] = (uint8_t)index;
    return k->child[parent][index] = (uint8_t)number;
}

int program_threads_ever(void) { return known->threads; }

int known_child(int parent, int index)
{
    int number = index >= MOST_THREADS ? -1 : known->child[parent][index];
    if (number == 0)
        number = name(parent, index);
    if (number < 0)
        learn_incomplete("the program starts more than 63 threads: pthread_create fails after that");
    return number;
}

/* ---------------------------------------------------------------- visible bytes */

/* SOUND: threads that are exchanged must see alike operations, so what is learnt for a place in one region holds for
 * that place in all regions. */
static uintptr_t granule_of(uintptr_t address)
{
    return (region_owner(address) < 0 ? address : REGION_BASE + seat_of(address) % REGION_SIZE) / GRANULE;
}

static uintptr_t *place_of(uintptr_t granule)
{
    size_t at = (granule * 0x9e3779b97f4a7c15ul) >> 44;
    while (known->table[at] && known->table[at] != granule)
        at = (at + 1) % TABLE;
    return &known->table[at];
}

static bool any_visible_between(uintptr_t first, uintptr_t last)
{
    for (unsigned i = 0; i < known->granules; i++)
        if (known->list[i] >= first && known->list[i] <= last)
            return true;
    return false;
}

bool known_visible(uintptr_t from, size_t size)
{
    if (!known || !known->granules)
        return false;
    uintptr_t first = granule_of(from), last = granule_of(from + size - 1);
    if (last - first > known->granules)
        return any_visible_between(first, last);
    for (; first <= last; first++)
        if (*place_of(first))
            return true;
    return false;
}

static bool is_learnt(uintptr_t granule)
{
    if (*place_of(granule))
        return true;
    for (unsigned i = known->granules; i < known->learnt; i++)
        if (known->list[i] == granule)
            return true;
    return false;
}

static void learn_granule(uintptr_t granule)
{
    if (is_learnt(granule))
        return;
    if (known->learnt == TABLE / 2)
        broken("the program races for too many bytes");
    known->list[known->learnt++] = granule;
    learnt = true;
}

void learn_visible(uintptr_t from, size_t size)
{
    for (uintptr_t at = granule_of(from); at <= granule_of(from + size - 1); at++)
        learn_granule(at);
}

/* An execution sees the same bytes from its beginning to its end. */
void knowledge_apply(void)
{
    struct knowledge *k = known;
    for (; k->granules < k->learnt; k->granules++)
        *place_of(k->list[k->granules]) = k->list[k->granules];
    learnt = false;
}

/* ---------------------------------------------------------------- ahead of joins */

bool known_shared(uintptr_t from, size_t size)
{
    if (known->shared == MOST_SHARED)
        return true; /* no room to learn more: nothing is touched ahead */
    uintptr_t first = granule_of(from), last = granule_of(from + size - 1);
    for (int i = 0; i < known->shared; i++)
        if (known->shared_list[i] >= first && known->shared_list[i] <= last)
            return true;
    return false;
}

void learn_shared(uintptr_t from, size_t size)
{
    for (uintptr_t at = granule_of(from); at <= granule_of(from + size - 1); at++)
        if (!known_shared(at * GRANULE, 1)) {
            known->shared_list[known->shared++] = at;
            learnt = true;
        }
}

bool known_order(void) { return known->order; }

void learn_order(void) { known->order = learnt = true; }

bool known_single_joins(void) { return known->single_joins; }

bool known_seats(void) { return known && !known->no_seats; }

void learn_no_seats(void) { known->no_seats = learnt = true; }

void learn_single_joins(void)
{
    if (known->shared < MOST_SHARED)
        known->shared_list[known->shared++] = 0;
    known->single_joins = learnt = true;
}

/* ---------------------------------------------------------------- reasons and notes */

static void keep(char *where, const char *why)
{
    if (!*where)
        strncpy(where, why, REASON - 1);
}

void learn_incomplete(const char *why) { keep(known->incomplete, why); }

void learn_incomplete_at(const char *why)
{
    if (!*known->incomplete)
        known->incomplete_pc = current->operation.pc;
    learn_incomplete(why);
}

const void *program_incomplete_at(void) { return known ? known->incomplete_pc : NULL; }

void learn_fork(const char *why) { keep(known->fork, why); }

const char *program_incomplete(void) { return known && *known->incomplete ? known->incomplete : NULL; }

const char *program_needs_fork(void) { return known && *known->fork ? known->fork : NULL; }

void note_race(const struct finding *race)
{
    struct knowledge *k = known;
    for (int i = 0; i < k->notes; i++)
        if (k->note[i].pc == race->pc && k->note[i].other_pc == race->other_pc)
            return;
    if (k->notes < MOST_NOTES)
        k->note[k->notes++] = *race;
}

int program_notes(void) { return known ? known->notes : 0; }

const struct finding *program_note(int i) { return &known->note[i]; }

/* Of the user's functions behind a call into the runtime: the compiler's code for std::atomic has lines of a library.
 */
static void find_calls(void **entry, const void *calls[CALLS])
{
    void **frame = entry[0];
    for (int i = 0; i < CALLS && in_stack((uintptr_t)frame, current->number) && frame > entry; i++) {
        calls[i] = frame[1];
        frame = frame[0];
    }
}

void learn_weak(const struct race *race)
{
    struct knowledge *k = known;
    if (forgot_order) { /* perhaps only for that reason */
        keep_order();
        return;
    }
    for (int i = 0; i < k->weak; i++)
        if (k->weak_note[i].pc == race->pc && k->weak_note[i].other_pc == race->other_pc)
            return;
    if (k->weak == MOST_WEAK)
        return;
    struct weak_note *new = &k->weak_note[k->weak++];
    *new =
        (struct weak_note){.pc = race->pc, .other_pc = race->other_pc, .how = race->how, .other_how = race->other_how};
    find_calls(current->entry, new->calls);
}

void learn_stranger(const char *name, void **entry)
{
    struct knowledge *k = known;
    for (int i = 0; i < k->meetings; i++)
        if (k->meeting[i].name == name)
            return;
    if (k->meetings == MOST_MET)
        return;
    struct meeting *new = &k->meeting[k->meetings++];
    *new = (struct meeting){.name = name, .pc = entry[1]};
    find_calls(entry, new->calls);
}

void learn_visit(const void *pc)
{
    struct knowledge *k = known;
    for (int i = 0; i < k->visits; i++)
        if (k->visit[i] == pc || !k->visit[i])
            return;
    if (k->visits == MOST_VISITS)
        k->visit[0] = NULL; /* SOUND: any */
    else
        k->visit[k->visits++] = pc;
}

static void message_calls(const void *const calls[CALLS])
{
    message_list("calls");
    for (int c = 0; c < CALLS && calls[c]; c++)
        message_item((long long)(uintptr_t)calls[c]);
    message_list_end();
}

void program_stranger_messages(void)
{
    for (int i = 0; i < known->meetings; i++) {
        message_begin(MESSAGE_STRANGER);
        message_text("name", known->meeting[i].name);
        message_number("pc", (long long)(uintptr_t)known->meeting[i].pc);
        message_calls(known->meeting[i].calls);
        message_end();
    }
}

void program_visit_messages(void)
{
    for (int i = 0; i < known->visits; i++) {
        message_begin(MESSAGE_VISIT);
        message_number("pc", (long long)(uintptr_t)known->visit[i]);
        message_end();
    }
}

void program_weak_messages(void)
{
    for (int i = 0; i < known->weak; i++) {
        const struct weak_note *note = &known->weak_note[i];
        message_begin(MESSAGE_WEAK);
        message_number("how", note->how);
        message_number("other_how", note->other_how);
        message_number("pc", (long long)(uintptr_t)note->pc);
        message_number("other_pc", (long long)(uintptr_t)note->other_pc);
        message_calls(note->calls);
        message_end();
    }
}

bool program_is_weak(void) { return known->weak; }

bool program_learnt(void) { return learnt; }

bool program_knows_more(bool at_end) { return overlooked_anew(at_end); }

uint64_t program_knowledge(void)
{
    const struct knowledge *k = known;
    const uint64_t facts[] = {
        (uint64_t)k->threads,  k->learnt,        (uint64_t)k->shared, (uint64_t)k->notes,  (uint64_t)k->weak,
        (uint64_t)k->meetings, k->order,         k->single_joins,     *k->incomplete != 0, *k->fork != 0,
        registers_known(),     race_knowledge(), k->no_seats,         foresight_known(),   overlooked_known(),
        (uint64_t)k->visits,
    };
    uint64_t all = 0;
    for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
        all = all * 1000003 + facts[i];
    return all;
}

/* ---------------------------------------------------------------- told to another process */

/* One list of numbers: how many threads have a number, parent and place of each; how many
 * granules are not to be touched ahead of joins, and they; then the visible granules. */
void program_learnt_message(void)
{
    struct knowledge *k = known;
    message_list("learnt");
    message_item(k->threads - 1);
    for (int i = 1; i < k->threads; i++)
        message_item(k->parent[i] * MOST_THREADS + k->place[i]);
    message_item(k->shared);
    for (int i = 0; i < k->shared; i++)
        message_item((long long)k->shared_list[i]);
    for (unsigned i = 0; i < k->granules; i++)
        message_item((long long)k->list[i]);
    message_list_end();
}

static void know_shared(uintptr_t granule)
{
    if (granule)
        learn_shared(granule * GRANULE, 1);
    else
        learn_single_joins();
}

void program_know(const char *numbers)
{
    char *rest = (char *)numbers;
    for (long left = strtol(rest, &rest, 10); left > 0; left--) {
        long both = strtol(rest + (*rest == ','), &rest, 10);
        name((int)(both / MOST_THREADS), (int)(both % MOST_THREADS));
    }
    for (long left = strtol(rest + (*rest == ','), &rest, 10); left > 0; left--)
        know_shared(strtoul(rest + (*rest == ','), &rest, 10));
    while (*rest == ',')
        learn_granule(strtoul(rest + 1, &rest, 10));
    learnt = false;
}
