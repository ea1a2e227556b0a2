/* Reference: Kang, Hur, Lahav, Vafeiadis, Dreyer, POPL 2017 (memory as messages with views).
 * Differs: no promises; a message is named by who made it, and carries a clock of the race detector.
 */
#include "graphs/history.h"

#include "explore/arena.h"
#include "graphs/unordered/registers.h"
#include "runtime.h"

#include <stdatomic.h>
#include <string.h>

struct message { /* a write */
    cell value;
    int name;
    uint32_t clock[MOST_THREADS]; /* what those learn who acquire it */
};

struct variable {
    uintptr_t from;
    size_t size;
    bool over; /* it has begun a new life */
    cell initial;
    struct message *messages; /* in modification order */
    unsigned count, room;
    uint32_t written[MOST_THREADS]; /* how often, by each thread */
};

enum { FILTER = 4096 };

enum memory_model memory_model;
cell cell_seen, cell_held;

static struct atomic pending[MOST_THREADS];
static struct variable *variables;
static unsigned variable_count, variable_room;
static uint8_t filter[FILTER]; /* which words may belong to one */
static struct {
    struct variable *variable;
    int source; /* in its messages; -1: the initial value */
    struct atomic access;
    bool stores, wrote;
    unsigned place; /* of what it wrote */
} entered;

void history_open(const char *model)
{
    static const char *const names[] = {"", "sc", "tso", "rc11"};
    for (int i = 1; model && i < 4; i++)
        if (!strcmp(model, names[i]))
            memory_model = (enum memory_model)i;
}

void history_reset(void)
{
    variable_count = 0;
    memset(filter, 0, sizeof filter);
}

/* ---------------------------------------------------------------- accesses */

/* Without the bits that compilers add to it: __sync_* functions, elided locks. */
static int base_of(int order) { return order & 7; }

bool acquires(int order)
{
    int base = base_of(order);
    return base != memory_order_relaxed && base != memory_order_release && base != ORDER_OF_WAITING;
}

bool releases(int order)
{
    int base = base_of(order);
    return base == memory_order_release || base == memory_order_acq_rel || base == memory_order_seq_cst;
}

void history_describe(enum change change, int order, int failure, cell operand, cell expected)
{
    pending[current->number] = (struct atomic){
        .change = (uint8_t)change,
        .order = (uint8_t)base_of(order),
        .failure = (uint8_t)base_of(failure),
        .operand = operand,
        .expected = expected,
    };
}

void history_describe_update(enum change change, int order, cell operand, enum commuting how)
{
    history_describe(change, order, order, operand, 0);
    pending[current->number].commutes = (uint8_t)how;
}

const struct atomic *history_pending(int thread) { return &pending[thread]; }

static cell cut(cell value, size_t size) { return size >= sizeof value ? value : value & (((cell)1 << 8 * size) - 1); }

bool atomic_result(const struct atomic *a, size_t size, cell found, cell *written)
{
    cell new = 0;
    switch ((enum change)a->change) {
    case PLAIN:
    case LOADS:
        return false;
    case COMPARES:
        if (found != a->expected)
            return false;
        new = a->operand;
        break;
    case STORES:
    case EXCHANGES:
        new = a->operand;
        break;
    case ADDS:
        new = found + a->operand;
        break;
    case SUBTRACTS:
        new = found - a->operand;
        break;
    case ANDS:
        new = found & a->operand;
        break;
    case ORS:
        new = found | a->operand;
        break;
    case XORS:
        new = found ^ a->operand;
        break;
    case NANDS:
        new = ~(found & a->operand);
        break;
    }
    *written = cut(new, size);
    return true;
}

/* ---------------------------------------------------------------- variables */

static struct variable *known_variable(uintptr_t from, size_t size)
{
    for (unsigned i = 0; i < variable_count; i++)
        if (!variables[i].over && variables[i].from < from + size && from < variables[i].from + variables[i].size)
            return &variables[i];
    return NULL;
}

bool history_chosen(void) { return running && pending[current->number].change != PLAIN; }

static bool may_be_variable(uintptr_t from, size_t size)
{
    for (uintptr_t at = from & ~(uintptr_t)7; at < from + size; at += 8)
        if (filter[at >> 3 & (FILTER - 1)])
            return true;
    return false;
}

/* The last of several writes shows in memory. */
static void show(const struct variable *v)
{
    if (v->count > 1)
        registers_show(v->from, v->size, history_life(v->from));
}

void history_look(uintptr_t from, size_t size)
{
    if (!may_be_variable(from, size))
        return;
    for (unsigned i = 0; i < variable_count; i++)
        if (!variables[i].over && variables[i].from < from + size && from < variables[i].from + variables[i].size)
            show(&variables[i]);
}

void history_renew(uintptr_t from, size_t size)
{
    if (!may_be_variable(from, size))
        return;
    for (struct variable *known; (known = known_variable(from, size));) {
        if (known->from < from || known->from + known->size > from + size)
            show(known); /* what is left of it */
        known->over = true;
    }
}

int history_life(uintptr_t from)
{
    int lives = 0;
    for (unsigned i = 0; i < variable_count; i++)
        lives += variables[i].over && variables[i].from == from;
    return lives;
}

cell history_initial(uintptr_t from, size_t size)
{
    cell value = 0;
    const struct variable *known = known_variable(from, size);
    if (known)
        return known->initial;
    memcpy(&value, (const void *)from, size);
    return value;
}

bool history_had(uintptr_t from, size_t size, uint64_t value)
{
    const struct variable *known = known_variable(from, size);
    if (!known || (uint64_t)known->initial == value)
        return !known || (uint64_t)known->initial == value;
    for (unsigned i = 0; i < known->count; i++)
        if ((uint64_t)known->messages[i].value == value)
            return true;
    return false;
}

static struct variable *new_variable(uintptr_t from, size_t size)
{
    GROW(variables, variable_room, variable_count + 1);
    struct variable *made = &variables[variable_count++];
    made->from = from;
    made->size = size;
    made->count = 0;
    made->over = false;
    made->initial = 0;
    memcpy(&made->initial, (const void *)from, size);
    memset(made->written, 0, sizeof made->written);
    for (uintptr_t at = from & ~(uintptr_t)7; at < from + size; at += 8)
        filter[at >> 3 & (FILTER - 1)] = 1;
    return made;
}

static struct variable *variable_at(uintptr_t from, size_t size)
{
    struct variable *known = known_variable(from, size);
    if (!known)
        return new_variable(from, size);
    if (known->from == from && known->size == size)
        return known;
    /* SOUND: parts of a variable may have different sources; nobody has said what that means. */
    learn_incomplete_at("an atomic variable is accessed by another size here: such mixtures are not explored");
    abandon();
}

static int message_named(const struct variable *variable, int name)
{
    for (unsigned i = 0; i < variable->count; i++)
        if (variable->messages[i].name == name)
            return (int)i;
    broken("a step was to see a write that has not been made");
}

static int source_of(const struct variable *variable, int choice)
{
    if (choice == SEES_INITIAL)
        return -1;
    return choice == SEES_LAST ? (int)variable->count - 1 : message_named(variable, choice);
}

void history_meet(uintptr_t from, size_t size) { variable_at(from, size); }

bool history_covers(uintptr_t from, size_t size) { return may_be_variable(from, size) && known_variable(from, size); }

uintptr_t history_variable(uintptr_t byte, size_t *size)
{
    const struct variable *known = may_be_variable(byte, 1) ? known_variable(byte, 1) : NULL;
    *size = known ? known->size : 0;
    return known ? known->from : 0;
}

void history_enter(uintptr_t from, size_t size)
{
    struct variable *variable = entered.variable = variable_at(from, size);
    bool stores = pending[current->number].change == STORES;
    entered.stores = stores;
    entered.wrote = false;
    entered.access = pending[current->number];
    entered.source = stores ? -1 : source_of(variable, current->choice);
    cell_seen = entered.source < 0 ? variable->initial : variable->messages[entered.source].value;
    cell_held = variable->count ? variable->messages[variable->count - 1].value : variable->initial;
}

bool history_counts(void)
{
    const struct variable *v = entered.variable;
    return entered.access.commutes &&
           is_counter(object_number(MEMORY, v->from, (uint32_t)v->size, history_life(v->from)));
}

void history_begin_step(void) { entered.variable = NULL; }

/* Of a compare-and-swap that fails, the one for that. */
static int order_made(void)
{
    bool fails = !entered.wrote && entered.access.change == COMPARES;
    return fails ? entered.access.failure : entered.access.order;
}

/* What was read: a name, SEES_INITIAL, or -1. */
static int name_seen(const struct variable *v)
{
    if (entered.stores)
        return -1;
    return entered.source < 0 ? SEES_INITIAL : v->messages[entered.source].name;
}

int history_seen(long long seen[MOST_SEEN])
{
    const struct variable *v = entered.variable;
    if (!v)
        return 0;
    int count = 0;
    seen[count++] = (long long)v->from;
    seen[count++] = (long long)v->size;
    seen[count++] = history_life(v->from);
    seen[count++] = order_made();
    seen[count++] = name_seen(v);
    seen[count++] = (long long)(uint64_t)cell_seen;
    seen[count++] = entered.wrote ? v->messages[entered.place].name : -1;
    seen[count++] = entered.wrote ? (long long)(uint64_t)v->messages[entered.place].value : 0;
    unsigned newer = entered.stores ? v->count : (unsigned)(entered.source + 1 + entered.wrote);
    for (unsigned i = newer; i < v->count && count + 2 <= MOST_SEEN; i++) {
        seen[count++] = v->messages[i].name;
        seen[count++] = (long long)(uint64_t)v->messages[i].value;
    }
    return count;
}

/* ---------------------------------------------------------------- reading and writing */

void history_read(int order)
{
    if (entered.source >= 0)
        race_hear(current->number, entered.variable->messages[entered.source].clock, acquires(order));
}

/* Where a write comes in. */
static unsigned place_of_write(const struct variable *variable, bool stores)
{
    if (!stores)
        return (unsigned)(entered.source + 1);
    return current->choice ? (unsigned)message_named(variable, current->choice) : variable->count;
}

void history_write(int order)
{
    struct variable *v = entered.variable;
    const struct atomic *access = &pending[current->number];
    bool stores = access->change == STORES;
    unsigned place = place_of_write(v, stores);
    int number = current->number;
    struct message new = {.name = name_of_write(number, (int)v->written[number]++)};
    atomic_result(access, v->size, cell_seen, &new.value);
    /* SOUND: an update goes on with what was released where it read; a store begins anew (C++20's release sequences).
     */
    if (!stores && entered.source >= 0)
        memcpy(new.clock, v->messages[entered.source].clock, sizeof new.clock);
    race_say(number, new.clock, releases(order));
    GROW(v->messages, v->room, v->count + 1);
    memmove(v->messages + place + 1, v->messages + place, (v->count - place) * sizeof *v->messages);
    v->messages[place] = new;
    v->count++;
    entered.wrote = true;
    entered.place = place;
    cell_held = v->messages[v->count - 1].value;
}
