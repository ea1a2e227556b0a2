#include "await/await.h"

#include "explore/arena.h"

enum { MOST_PLACES = 1 << 12 };

struct failure {
    uint64_t value;
    int how;
    int reads; /* of the round; 0: it was not seen, but concluded */
};

struct point {
    uint64_t situation;
    const void *pc;
    struct failure *failures;
    unsigned count, room;
    uint64_t *passes; /* values */
    unsigned passes_count, passes_room;
};

static struct awaits {
    struct {
        const void *pc;
        enum await_level level;
    } place[MOST_PLACES]; /* a hash table; what does not fit is no loop */
    unsigned places;
    struct point *points;
    unsigned count, room;
    unsigned long lessons;
    uint32_t *slots; /* of numbers; the size is a power of two */
    unsigned slot_count;
} *awaits;

bool await_wanted;

void await_open(void) { awaits = arena_take(sizeof *awaits); }

/* ---------------------------------------------------------------- places */

static unsigned place_of(const void *pc)
{
    unsigned at = (unsigned)(((uintptr_t)pc * 0x9e3779b97f4a7c15ul) >> 52);
    while (awaits->place[at].pc && awaits->place[at].pc != pc)
        at = (at + 1) % MOST_PLACES;
    return at;
}

enum await_level await_level_of(const void *pc) { return awaits->place[place_of(pc)].level; }

bool await_knows_loops(void) { return awaits->places; }

void await_raise(const void *pc, enum await_level level)
{
    unsigned at = place_of(pc);
    if (!awaits->place[at].pc && ++awaits->places == MOST_PLACES)
        awaits->places--; /* one stays free, so that looking ends */
    else if (awaits->place[at].level < level) {
        awaits->place[at].pc = pc;
        awaits->place[at].level = level;
    }
}

/* ---------------------------------------------------------------- situations */

static uint32_t *slot_of(uint64_t situation)
{
    for (uint64_t at = situation * 0x9e3779b97f4a7c15ul >> 32;; at++) {
        uint32_t *slot = &awaits->slots[at & (awaits->slot_count - 1)];
        if (!*slot || awaits->points[*slot - 1].situation == situation)
            return slot;
    }
}

static void more_slots(void)
{
    arena_give(awaits->slots, awaits->slot_count * sizeof *awaits->slots);
    awaits->slot_count = awaits->slot_count ? awaits->slot_count * 2 : 256;
    awaits->slots = arena_take(awaits->slot_count * sizeof *awaits->slots);
    for (uint32_t i = 0; i < awaits->count; i++)
        *slot_of(awaits->points[i].situation) = i + 1;
}

int await_point(uint64_t situation, const void *pc)
{
    if (awaits->count * 2 >= awaits->slot_count)
        more_slots();
    uint32_t *slot = slot_of(situation);
    if (!*slot) {
        GROW(awaits->points, awaits->room, awaits->count + 1);
        awaits->points[awaits->count] = (struct point){.situation = situation, .pc = pc};
        *slot = ++awaits->count;
    }
    return (int)*slot;
}

int await_points(void) { return (int)awaits->count; }

uint64_t await_situation(int point) { return awaits->points[point - 1].situation; }

const void *await_place(int point) { return awaits->points[point - 1].pc; }

bool await_fails(int point, uint64_t value, int *how)
{
    const struct point *p = &awaits->points[point - 1];
    for (unsigned i = 0; i < p->count; i++)
        if (p->failures[i].value == value) {
            *how = p->failures[i].how;
            return true;
        }
    return false;
}

void await_pass(int point, uint64_t value)
{
    struct point *p = &awaits->points[point - 1];
    if (await_passes(point, value))
        return;
    GROW(p->passes, p->passes_room, p->passes_count + 1);
    p->passes[p->passes_count++] = value;
}

bool await_passes(int point, uint64_t value)
{
    const struct point *p = &awaits->points[point - 1];
    for (unsigned i = 0; i < p->passes_count; i++)
        if (p->passes[i] == value)
            return true;
    return false;
}

bool await_failed(int point, int *how)
{
    const struct point *p = &awaits->points[point - 1];
    *how = p->count ? p->failures[0].how : 0;
    return p->count;
}

static void add_failure(int point, struct failure failure)
{
    struct point *p = &awaits->points[point - 1];
    GROW(p->failures, p->room, p->count + 1);
    p->failures[p->count++] = failure;
    awaits->lessons++;
}

static struct failure *failure_of(int point, uint64_t value)
{
    struct point *p = &awaits->points[point - 1];
    for (unsigned i = 0; i < p->count; i++)
        if (p->failures[i].value == value)
            return &p->failures[i];
    return NULL;
}

bool await_learn(int point, uint64_t value, int how, int reads)
{
    struct failure *known = failure_of(point, value);
    bool seen = known && known->reads;
    if (!known)
        add_failure(point, (struct failure){value, how, reads});
    else if (!seen || reads < known->reads)
        known->reads = reads;
    return !seen;
}

unsigned long await_lessons(void) { return awaits->lessons; }

/* ---------------------------------------------------------------- conclusions */

void await_conclude(int point, uint64_t value, int how) { add_failure(point, (struct failure){value, how, 0}); }

void await_forget_conclusions(void)
{
    for (unsigned i = 0; i < awaits->count; i++) {
        struct point *p = &awaits->points[i];
        unsigned left = 0;
        for (unsigned j = 0; j < p->count; j++)
            if (p->failures[j].reads)
                p->failures[left++] = p->failures[j];
        p->count = left;
    }
}

int await_reads(int point, uint64_t value)
{
    const struct failure *known = failure_of(point, value);
    return known ? known->reads : 0;
}

int await_shortest(int point)
{
    const struct point *p = &awaits->points[point - 1];
    int shortest = INT32_MAX;
    for (unsigned i = 0; i < p->count; i++) {
        int reads = p->failures[i].reads ? p->failures[i].reads : 1; /* SOUND: of a conclusion it is not known */
        shortest = reads < shortest ? reads : shortest;
    }
    return shortest;
}

bool await_is_concluded(int point, uint64_t value)
{
    const struct failure *known = failure_of(point, value);
    return known && !known->reads;
}

bool await_failure(int point, unsigned nth, uint64_t *value)
{
    const struct point *p = &awaits->points[point - 1];
    if (nth < p->count)
        *value = p->failures[nth].value;
    return nth < p->count;
}

bool await_accessed(const void *pc, int *how)
{
    for (unsigned i = 0; i < awaits->count; i++)
        if (awaits->points[i].pc == pc && awaits->points[i].count) {
            *how = awaits->points[i].failures[0].how;
            return true;
        }
    return false;
}
