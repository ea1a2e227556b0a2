/* The table as it grows: nobody else is running then. */
#include <string.h>

#include "cluster/cluster.h"

enum { TAG = 5, PLACES = 40, PROBES = 30, ENOUGH = 20000, FAST_GROWTH = 19, LATE = 32 };

static struct table old; /* the table before, and its side table */
static struct side old_side;
static bool recodes; /* the codes of compressed states change */

bool table_open(unsigned line_bits, bool quotient)
{
    struct table *t = &shared.table;
    t->slots = take_memory((sizeof(word) * LINE) << line_bits);
    t->line_bits = line_bits;
    t->mask = (1ULL << line_bits) - 1;
    t->limit = (LINE * 7ULL / 8) << line_bits;
    t->quotient = quotient;
    return t->slots != NULL;
}

static void table_close(struct table *t) { give_memory(t->slots, (sizeof(word) * LINE) << t->line_bits); }

/* ------------------------------------------------------------------------------------------- what is in the old one */

/* SOUND: (line, tag) give the home line, home line and rest give the mixed state, which is all there is to know. */
static void key_at(uint64_t line, word slot, uint64_t *a, uint64_t *b)
{
    unsigned probe = (unsigned)(slot & ((1U << TAG) - 1)) - 1;
    word rest = slot >> TAG;
    *a = line_of(&old, line, probe) | rest << old.line_bits;
    *b = rest >> (64 - old.line_bits);
}

static bool each_in_chunks(see_state see, void *data)
{
    word key[shared.model->key_words];
    for (uint32_t number = 0; number < shared.n_chunks; number++) {
        const struct chunk *c = shared.chunks[number];
        for (uint32_t i = 0; i < c->used; i++) {
            if (c->order[i] == REPEATED) {
                continue;
            }
            uint64_t place = (uint64_t)number * shared.model->chunk_size + i;
            const word *s = c->states + (size_t)i * shared.model->key_words;
            if (shared.model->key != NULL) {
                shared.model->key(s, key);
                s = key;
            }
            if (!see(data, s, place)) {
                return false;
            }
        }
    }
    return true;
}

static bool each_in_table(see_state see, void *data)
{
    word s[MOST_SQUEEZED];
    uint64_t a, b;
    for (uint64_t i = 0; i < (old.mask + 1) * LINE; i++) {
        if (old.slots[i]) {
            key_at(i / LINE, old.slots[i], &a, &b);
            unmix(&old.squeeze, a, b, s);
            if (!see(data, s, 0)) {
                return false;
            }
        }
    }
    for (uint64_t i = 0; old_side.states && i <= old_side.mask; i++) {
        if (old_side.used[i] && !see(data, old_side.states + i * shared.model->key_words, 0)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- into the new one */

/* Slots that wait until their lines have been fetched. */
static struct {
    uint64_t home;
    word value;
} late[LATE];
static unsigned n_late;

static bool put_now(struct table *t, uint64_t home, word value, bool tagged)
{
    for (unsigned probe = 0; probe < PROBES; probe++) {
        word *line = t->slots + line_of(t, home, probe) * LINE;
        unsigned used = 0;
        for (int i = 0; i < LINE; i++) { /* without branches, which nobody could predict */
            used += line[i] != 0;
        }
        if (used < LINE) {
            line[used] = tagged ? value | (probe + 1) : value;
            return true;
        }
    }
    return false;
}

static bool put_late(struct table *t)
{
    bool done = true;
    for (unsigned i = 0; i < n_late; i++) {
        done = done && put_now(t, late[i].home, late[i].value, t->quotient);
    }
    n_late = 0;
    return done;
}

static bool put(struct table *t, uint64_t home, word value)
{
    __builtin_prefetch(t->slots + line_of(t, home, 0) * LINE, 1, 3);
    late[n_late].home = home;
    late[n_late].value = value;
    return ++n_late < LATE || put_late(t);
}

static bool put_key(struct table *t, uint64_t a, uint64_t b)
{
    return put(t, a, (a >> t->line_bits | b << (64 - t->line_bits)) << TAG);
}

static bool put_state(void *data, const word *s, uint64_t place)
{
    struct table *t = data;
    if (!t->quotient) {
        uint64_t h = shared.model->hash(s);
        return put(t, h, h >> PLACES << PLACES | (place + 1));
    }
    if (is_unusual(&t->squeeze, s)) {
        return side_insert(s) != 2;
    }
    uint64_t ab[2];
    shared.model->mix(t, s, ab);
    return put_key(t, ab[0], ab[1]);
}

static bool put_all_keys(struct table *t)
{
    uint64_t a, b;
    for (uint64_t i = 0; i < (old.mask + 1) * LINE; i++) {
        if (old.slots[i]) {
            key_at(i / LINE, old.slots[i], &a, &b);
            if (!put_key(t, a, b)) {
                return false;
            }
        }
    }
    return true;
}

/* The same for states that are compressed in another way from now on. */
static bool put_recoded(void *data, const word *code, uint64_t place)
{
    const word now = shared.model->recode(*code);
    uint64_t ab[2];
    (void)place;
    shared.model->mix(data, &now, ab);
    return !shared.model->is_crowded(1) && put_key(data, ab[0], ab[1]);
}

/* Fills the new table; the bits are chosen anew if too many states are unusual, or if that makes quotients possible. */
static bool fill(struct table *t)
{
    bool many = old_side.count * 32 > shared.count;
    t->shared = old.shared;
    t->squeeze = old.squeeze;
    if (old.quotient && !many) {
        shared.side = old_side;
        return recodes ? each_in_table(put_recoded, t) : put_all_keys(t);
    }
    struct squeeze chosen;
    bool (*each)(see_state, void *) = old.quotient ? each_in_table : each_in_chunks;
    if (shared.count >= (uint64_t)ENOUGH >> cluster_share() && choose_bits(&chosen, t->line_bits, each)) {
        t->quotient = true;
        t->squeeze = chosen;
        return each(put_state, t);
    }
    if (old.quotient) {
        shared.side = old_side;
        return put_all_keys(t);
    }
    return each(put_state, t);
}

/* The table holds everything now: only what was not expanded yet is still needed outside. */
static void forget_chunks(void)
{
    for (uint32_t number = 0; number < shared.n_chunks; number++) {
        struct chunk *c = shared.chunks[number];
        bool filled = true;
        for (int i = 0; i < shared.threads; i++) {
            filled = filled && !(shared.workers[i].has_out && shared.workers[i].out == number);
        }
        bool done = shared.workers[0].mode != MODE_BFS || c->consumed == shared.model->chunk_size;
        if (c->states && filled && done) {
            chunk_forget(c);
        }
    }
}

/* No memory: everything stays as it was, and the search stops. */
static void keep_old(void)
{
    shared.table = old;
    shared.table.limit = UINT64_MAX;
    shared.side = old_side;
    if (recodes) {
        shared.model->regroup(NULL);
    }
    stop_because(END_MEMORY);
}

/* Codes that change need no larger table, if it is not half full. */
static unsigned more_bits(bool crowded)
{
    if (crowded && 2 * shared.count < old.limit) {
        return 0;
    }
    return old.line_bits < FAST_GROWTH ? 2 : 1;
}

/* Opens a table of so many lines; if there is no memory, states that wait leave theirs, and fewer lines must do. */
static bool open_some(unsigned *bits, unsigned least)
{
    if (table_open(*bits, old.quotient)) {
        return true;
    }
    (void)spill_all();
    give_spare();
    for (; *bits >= least; --*bits) {
        if (table_open(*bits, old.quotient)) {
            return true;
        }
    }
    return false;
}

/* What the next larger table takes. */
uint64_t table_next_bytes(void)
{
    const unsigned bits = shared.table.line_bits;
    return (sizeof(word) * LINE) << (bits + (bits < FAST_GROWTH ? 2 : 1));
}

/* Makes the table larger until everything fits; without memory the search stops. */
void table_grow(void)
{
    old = shared.table;
    old_side = shared.side;
    const bool crowded = shared.model->is_crowded != NULL && shared.model->is_crowded(1);
    recodes = shared.model->is_crowded != NULL && shared.model->is_crowded(2);
    if (recodes && !shared.model->regroup(each_in_table)) {
        keep_old();
        return;
    }
    unsigned least = old.line_bits + !crowded;
    for (unsigned bits = old.line_bits + more_bits(crowded);; least = ++bits) {
        shared.side = (struct side){0};
        if (!open_some(&bits, least)) {
            keep_old();
            return;
        }
        const bool filled = fill(&shared.table);
        if (put_late(&shared.table) && filled) {
            break;
        }
        table_close(&shared.table);
        if (shared.side.states != old_side.states) {
            side_free(&shared.side);
        }
        if (shared.stop) { /* no memory for the side table */
            keep_old();
            return;
        }
    }
    table_close(&old);
    if (shared.side.states != old_side.states) {
        side_free(&old_side);
    }
    if (shared.table.quotient && !old.quotient) {
        forget_chunks();
    }
}
