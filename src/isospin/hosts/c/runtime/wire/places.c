#include "runtime.h"

#include "wire/places.h"

#include "explore/arena.h"
#include "wire/message.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

enum kind { PLACE = 1, FRAME, FUNCTION, PAIR, RULES };

struct entry {
    enum kind kind; /* 0: free */
    uintptr_t first, second;
    void *answer;
};

static struct memo { /* in the arena: in fork mode children remember for each other */
    struct entry *entries;
    unsigned capacity, used;
    bool asked; /* for these two */
    bool asked_blocks;
    int made_count;
    struct made *made;
    int global_count, constant_count, part_count;
    struct global *globals, *constants;
    struct global_part *parts;
    uint64_t questions;
} *memo;

void places_open(void) { memo = arena_take(sizeof *memo); }

uint64_t place_questions(void) { return memo->questions; }

/* ---------------------------------------------------------------- asking */

static long long next(const char **line)
{
    char *end;
    long long value = strtoll(*line, &end, 10);
    *line = end;
    return value;
}

static uintptr_t base_of_ours(uintptr_t pc)
{
    uintptr_t base = (uintptr_t)&__ehdr_start;
    extern const char _end __attribute__((visibility("hidden")));
    return pc - base < (uintptr_t)&_end - base ? base : 0;
}

/* Libraries are not compiled for control: what is asked of them is how to get past their frames. */
static uintptr_t base_of_library(uintptr_t pc, const char **path)
{
    Dl_info found;
    *path = "";
    if (!pc || is_users_code((void *)pc) || !dladdr((void *)pc, &found) || !found.dli_fname)
        return 0;
    *path = found.dli_fname;
    return (uintptr_t)found.dli_fbase;
}

/* The answer as a line of numbers; "0" if there is nobody to ask. */
static const char *ask(const char *kind, uintptr_t first, uintptr_t second, bool begins)
{
    uintptr_t base = base_of_ours(first);
    const char *path = "";
    if (!base)
        base = base_of_library(first, &path);
    memo->questions++;
    message_begin(kind);
    message_number("pc", (long long)first);
    message_number("other", (long long)second);
    message_number("begins", begins);
    message_number("base", (long long)base);
    message_text("library", path);
    message_end();
    const char *line = message_receive();
    return line ? line : "0";
}

static struct extent *extents(const char **line, unsigned *count)
{
    *count = (unsigned)next(line);
    struct extent *list = arena_take((*count | 1) * sizeof *list);
    for (unsigned i = 0; i < *count; i++) {
        list[i].low = (int32_t)next(line);
        list[i].high = (int32_t)next(line);
    }
    return list;
}

static struct piece_of_frame *pieces(const char **line, unsigned *count)
{
    *count = (unsigned)next(line);
    struct piece_of_frame *list = arena_take((*count | 1) * sizeof *list);
    for (unsigned i = 0; i < *count; i++) {
        list[i].low = (int32_t)next(line);
        list[i].high = (int32_t)next(line);
        list[i].stride = (int32_t)next(line);
    }
    return list;
}

static struct code read_code(const char **line)
{
    struct code code;
    code.function = (uintptr_t)next(line);
    code.low = (uintptr_t)next(line);
    code.high = (uintptr_t)next(line);
    return code;
}

static void read_carried(const char **line, struct place *place)
{
    place->code_count = (unsigned)next(line);
    place->code = arena_take((place->code_count | 1) * sizeof *place->code);
    for (unsigned i = 0; i < place->code_count; i++)
        place->code[i] = read_code(line);
    place->carried_count = (unsigned)next(line);
    place->carried = arena_take((place->carried_count | 1) * sizeof *place->carried);
    for (unsigned i = 0; i < place->carried_count; i++) {
        place->carried[i].low = (int32_t)next(line);
        place->carried[i].size = (int32_t)next(line);
        place->carried[i].carrier = (uint64_t)next(line);
    }
    for (int i = 0; i < SAVED_REGISTERS; i++)
        place->register_carriers[i] = (uint64_t)next(line);
    place->kept_count = (unsigned)next(line);
    place->kept = arena_take((place->kept_count | 1) * sizeof *place->kept);
    for (unsigned i = 0; i < place->kept_count; i++)
        place->kept[i] = (uint64_t)next(line);
    place->call = read_code(line);
    place->called_count = (unsigned)next(line);
    place->called = arena_take((place->called_count | 1) * sizeof *place->called);
    for (unsigned i = 0; i < place->called_count; i++)
        place->called[i] = (uintptr_t)next(line);
}

static void *read_place(const char *line)
{
    struct place *place = arena_take(sizeof *place);
    place->known = next(&line) == 1;
    if (!place->known)
        return place;
    place->sp = (int32_t)next(&line);
    for (int i = 0; i < SAVED_REGISTERS; i++)
        place->saved[i] = (int32_t)next(&line);
    place->registers = (unsigned)next(&line);
    place->flags = (unsigned)next(&line);
    place->object_count = (int)next(&line);
    if (place->object_count > 0)
        place->objects = arena_take((size_t)place->object_count * sizeof *place->objects);
    for (int i = 0; i < place->object_count; i++)
        place->objects[i] = (int)next(&line);
    place->live = extents(&line, &place->live_count);
    place->pointed = extents(&line, &place->pointed_count);
    place->freed = extents(&line, &place->freed_count);
    place->returned = extents(&line, &place->returned_count);
    place->lent = extents(&line, &place->lent_count);
    place->told = extents(&line, &place->told_count);
    place->pieces = pieces(&line, &place->piece_count);
    place->walk_count = (unsigned)next(&line);
    place->walks = arena_take((place->walk_count | 1) * sizeof *place->walks);
    for (unsigned i = 0; i < place->walk_count; i++)
        place->walks[i] = (uint32_t)next(&line);
    read_carried(&line, place);
    return place;
}

static void read_rule(const char **line, struct rule *rule)
{
    rule->at = (uintptr_t)next(line);
    rule->kind = (enum rule_kind)next(line);
    rule->leaf_count = (unsigned)next(line);
    rule->leaves = arena_take((rule->leaf_count | 1) * sizeof *rule->leaves);
    for (unsigned i = 0; i < rule->leaf_count; i++)
        rule->leaves[i] = (uint64_t)next(line);
    rule->target = (uint64_t)next(line);
    rule->step_count = (unsigned)next(line);
    rule->steps = arena_take((rule->step_count | 1) * sizeof *rule->steps);
    for (unsigned i = 0; i < rule->step_count; i++) {
        rule->steps[i].how = (enum compute)next(line);
        rule->steps[i].number = next(line);
    }
    rule->object_count = (unsigned)next(line);
    rule->objects = arena_take((rule->object_count | 1) * sizeof *rule->objects);
    for (unsigned i = 0; i < rule->object_count; i++)
        rule->objects[i] = (int)next(line);
}

static void *read_rules(const char *line)
{
    struct rules *rules = arena_take(sizeof *rules);
    rules->count = (unsigned)next(&line);
    rules->list = arena_take((rules->count | 1) * sizeof *rules->list);
    for (unsigned i = 0; i < rules->count; i++)
        read_rule(&line, &rules->list[i]);
    return rules;
}

static void *read_pair(const char *line)
{
    struct place_pair *pair = arena_take(sizeof *pair);
    pair->same = next(&line) == 1;
    pair->count = pair->same ? (unsigned)next(&line) : 0;
    pair->slots = arena_take((pair->count | 1) * sizeof *pair->slots);
    for (unsigned i = 0; i < pair->count; i++) {
        pair->slots[i].first = (int32_t)next(&line);
        pair->slots[i].second = (int32_t)next(&line);
        pair->slots[i].size = (int32_t)next(&line);
    }
    return pair;
}

/* ---------------------------------------------------------------- remembering */

static struct entry *find(enum kind kind, uintptr_t first, uintptr_t second)
{
    uint64_t hash = (first * 0x9e3779b97f4a7c15u ^ second * 0xc2b2ae3d27d4eb4fu) + kind;
    for (unsigned at = (unsigned)(hash >> 29);; at++) {
        struct entry *entry = &memo->entries[at & (memo->capacity - 1)];
        if (!entry->kind || (entry->kind == kind && entry->first == first && entry->second == second))
            return entry;
    }
}

static void make_room(void)
{
    if (memo->used * 2 < memo->capacity)
        return;
    struct entry *old = memo->entries;
    unsigned count = memo->capacity;
    memo->capacity = count ? 2 * count : 256;
    memo->entries = arena_take(memo->capacity * sizeof *old);
    for (unsigned i = 0; i < count; i++)
        if (old[i].kind)
            *find(old[i].kind, old[i].first, old[i].second) = old[i];
    if (old)
        arena_give(old, count * sizeof *old);
}

static const void *answer(enum kind kind, uintptr_t first, uintptr_t second)
{
    make_room();
    struct entry *entry = find(kind, first, second);
    if (!entry->kind) {
        static const char *const about[] = {[PLACE] = QUESTION_PLACE,
                                            [FRAME] = QUESTION_FRAME,
                                            [FUNCTION] = QUESTION_PLACE,
                                            [PAIR] = QUESTION_PAIR,
                                            [RULES] = QUESTION_RULES};
        const char *line = ask(about[kind], first, second, kind == FUNCTION);
        void *read = kind == PAIR ? read_pair(line) : kind == RULES ? read_rules(line) : read_place(line);
        *entry = (struct entry){.kind = kind, .first = first, .second = second, .answer = read};
        memo->used++;
    }
    return entry->answer;
}

const struct place *place_at(uintptr_t pc) { return answer(PLACE, pc, 0); }

bool place_returns(const struct place *place, const struct extent *live)
{
    for (unsigned i = 0; i < place->returned_count; i++)
        if (place->returned[i].low == live->low && place->returned[i].high == live->high)
            return true;
    return false;
}

bool place_tells(const struct place *place, const struct extent *part)
{
    for (unsigned i = 0; i < place->told_count; i++)
        if (place->told[i].low <= part->low && part->high <= place->told[i].high)
            return true;
    return false;
}

const struct place *place_frame(uintptr_t pc) { return answer(FRAME, pc, 0); }

const struct place *place_of_function(uintptr_t function) { return answer(FUNCTION, function, 0); }

const struct place_pair *place_pair(uintptr_t first, uintptr_t second) { return answer(PAIR, first, second); }

const struct rules *place_rules(uintptr_t function) { return answer(RULES, function, 0); }

/* ---------------------------------------------------------------- the variables of the program */

static struct global *read_globals(const char **line, int *count)
{
    *count = (int)next(line);
    struct global *list = arena_take((size_t)(*count | 1) * sizeof *list);
    for (int i = 0; i < *count; i++) {
        list[i].low = (uintptr_t)next(line);
        list[i].high = (uintptr_t)next(line);
        long long stride = next(line);
        list[i].fixed = stride < 0;
        list[i].stride = (size_t)(stride < 0 ? -stride : stride);
    }
    return list;
}

static void read_parts(const char **line)
{
    memo->part_count = (int)next(line);
    memo->parts = arena_take((size_t)(memo->part_count | 1) * sizeof *memo->parts);
    for (int i = 0; i < memo->part_count; i++) {
        struct global_part *part = &memo->parts[i];
        part->global = (int)next(line);
        part->address = memo->globals[part->global].low + (uintptr_t)next(line);
        part->size = (size_t)next(line);
        part->carrier = (uint64_t)next(line);
    }
}

static void ask_globals(void)
{
    if (memo->asked)
        return;
    const char *line = ask(QUESTION_GLOBALS, 0, 0, false);
    memo->globals = read_globals(&line, &memo->global_count);
    memo->constants = read_globals(&line, &memo->constant_count);
    read_parts(&line);
    memo->asked = true;
}

int place_globals(void)
{
    ask_globals();
    return memo->global_count;
}

bool place_constant(int i, struct global *found)
{
    ask_globals();
    if (i >= memo->constant_count)
        return false;
    *found = memo->constants[i];
    return true;
}

const struct global_part *place_parts(int *count)
{
    ask_globals();
    *count = memo->part_count;
    return memo->parts;
}

int place_global(uintptr_t address, struct global *found)
{
    int low = 0, high = place_globals();
    while (low < high) { /* the first one that ends behind the address */
        int middle = (low + high) / 2;
        if (memo->globals[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == place_globals() || memo->globals[low].low > address)
        return -1;
    *found = memo->globals[low];
    return low;
}

/* ---------------------------------------------------------------- blocks of the heap */

static void read_made(const char **line, struct made *made)
{
    made->site = (uintptr_t)next(line);
    made->outer = (uintptr_t)next(line);
    made->size = (size_t)next(line);
    made->count = (unsigned)next(line);
    made->parts = arena_take((made->count | 1) * sizeof *made->parts);
    for (unsigned i = 0; i < made->count; i++) {
        made->parts[i].offset = (size_t)next(line);
        made->parts[i].size = (size_t)next(line);
        made->parts[i].carrier = (uint64_t)next(line);
    }
}

static void ask_blocks(void)
{
    if (memo->asked_blocks)
        return;
    const char *line = ask(QUESTION_BLOCKS, 0, 0, false);
    memo->made_count = (int)next(&line);
    memo->made = arena_take((size_t)(memo->made_count | 1) * sizeof *memo->made);
    for (int i = 0; i < memo->made_count; i++)
        read_made(&line, &memo->made[i]);
    memo->asked_blocks = true;
}

const struct made *place_made(uintptr_t site, uintptr_t outer)
{
    ask_blocks();
    for (int i = 0; i < memo->made_count; i++)
        if (memo->made[i].site == site && (!memo->made[i].outer || memo->made[i].outer == outer))
            return &memo->made[i];
    return NULL;
}
