/* Pids as data where processes are started at run time: who is known, how they are renamed, the canonical order.

   Reference: `symmetry/folding/live_names.py`.
   Differs: values are read and written where they are packed; colours are sums of hashes.

   A template (codegen/templates.py), included by live_set.inc.h: GLOBAL_CELL, LOCAL_CELL with LOCAL_FIRST by template,
   CARRIER and FIELD_HOLDS say where pids are, MAY_START from where processes start others. */
#ifndef ISOSPIN_LIVE_NAMES_H
#define ISOSPIN_LIVE_NAMES_H

#include "fold/live_cell.h"

#define NODES (SLOTS + 1)

/* A value in a state: to whom it belongs, and what it is. */
struct held {
    val value, otherwise;
    uint64_t label;
    unsigned n_owners;
    unsigned owner[3];
    bool is_pid, is_local, is_channel; /* of a channel that moves, the value is the pid of its owner */
};

enum { PLAIN_VALUE, HOLDS_PIDS, FORGOTTEN_PIDS, HOLDS_CHANNELS };

/* What becomes of pids, and of the numbers of channels. */
struct renaming {
    const uint8_t *images;
    const uint8_t *number;
};

ALWAYS_INLINE val renamed(val value, unsigned holds, const struct renaming *r)
{
    if (holds == HOLDS_CHANNELS) {
        return value >= 0 && value < 256 ? r->number[value] : value;
    }
    if (holds != HOLDS_PIDS) {
        return holds == FORGOTTEN_PIDS ? 0 : value;
    }
    return value >= LIVE_BASE && value < SLOTS && r->images[value] != GONE ? r->images[value] : value;
}

#include "fold/own_channels.inc.h"

ALWAYS_INLINE val cell_value(const word *s, unsigned word_at, unsigned shift, const struct live_cell *c)
{
    const word w = s[word_at + c->word];
    return c->is_signed ? get_signed(w, shift + c->shift, c->bits) : (val)(w >> (shift + c->shift) & ones(c->bits));
}

ALWAYS_INLINE void set_cell(word *s, unsigned word_at, unsigned shift, const struct live_cell *c, val value)
{
    put(s + word_at + c->word, shift + c->shift, ones(c->bits), value);
}

ALWAYS_INLINE struct held held_in(const word *s, unsigned word_at, unsigned shift, const struct live_cell *c)
{
    struct held h = {.value = cell_value(s, word_at, shift, c), .otherwise = c->otherwise, .label = c->label};
    h.is_pid = c->holds == HOLDS_PIDS;
    for (unsigned i = 0; i < c->n_pids; i++) {
        h.owner[h.n_owners++] = c->pid[i];
    }
    return h;
}

/* The number of a channel that moves says whose it is. */
ALWAYS_INLINE void name_owner(struct held *h, unsigned holds, const struct own_channels *own)
{
    if (OWN_CHANNELS && holds == HOLDS_CHANNELS && h->value > FIXED_CHANNELS) {
        const unsigned c = (unsigned)h->value - 1;
        h->is_channel = true;
        h->is_pid = c < own->n;
        h->value = h->is_pid ? own->pid[c] : GONE;
        h->label += h->is_pid ? (uint64_t)(own->which[c] + 1) << 52 : 0;
        h->otherwise = -1;
    }
}

typedef void (*see_held)(void *about, const struct held *h);

/* The names in the messages of a channel; `h` says whose it is, and has its label. */
ALWAYS_INLINE void each_in_messages(const word *s, unsigned c, const uint8_t *holds, struct held h,
                                    const struct own_channels *own, see_held see, void *about)
{
    const unsigned t = type_of(s, c);
    for (unsigned m = 0; m < chan_len(s, c); m++) {
        for (unsigned f = 0; f < FIELDS[t]; f++) {
            if (holds[f] == HOLDS_PIDS || holds[f] == HOLDS_CHANNELS) {
                struct held one = h;
                one.value = chan_field(s, c, t, m, f);
                one.label += m << 8 | f;
                one.is_pid = holds[f] == HOLDS_PIDS;
                name_owner(&one, holds[f], own);
                see(about, &one);
            }
        }
    }
}

/* All values that have to do with pids, one after the other. */
ALWAYS_INLINE void each_held(const word *s, see_held see, void *about)
{
    const struct own_channels own = find_own(s);
    for (unsigned i = 0; i < N_GLOBAL_CELLS; i++) {
        if (GLOBAL_CELL[i].holds != FORGOTTEN_PIDS) {
            struct held h = held_in(s, 0, 0, GLOBAL_CELL + i);
            name_owner(&h, GLOBAL_CELL[i].holds, &own);
            see(about, &h);
        }
    }
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        const unsigned t = template_of(s, pid);
        for (unsigned i = LOCAL_FIRST[t]; i < LOCAL_FIRST[t + 1]; i++) {
            if (LOCAL_CELL[i].holds != FORGOTTEN_PIDS) {
                struct held h = held_in(s, LANE_WORD[pid], LANE_SHIFT[pid], LOCAL_CELL + i);
                h.owner[h.n_owners++] = pid;
                h.is_local = true;
                name_owner(&h, LOCAL_CELL[i].holds, &own);
                see(about, &h);
            }
        }
    }
    for (unsigned i = 0; i < N_CARRIERS; i++) {
        const struct held h = {.label = ((uint64_t)CARRIER[i] << 32) + (1ULL << 48)};
        each_in_messages(s, CARRIER[i], FIELD_HOLDS[i], h, &own, see, about);
    }
    for (unsigned c = FIXED_CHANNELS; c < own.n; c++) {
        if (is_stored(c)) {
            const struct held h = {.label = ((uint64_t)own.which[c] << 32) + (2ULL << 48),
                                   .n_owners = 1,
                                   .owner = {own.pid[c]},
                                   .is_local = true};
            each_in_messages(s, c, OWN_HOLDS[template_of(s, own.pid[c])][own.which[c]], h, &own, see, about);
        }
    }
}

/* ------------------------------------------------------------------------------------------- who is known */

struct known_pids {
    bool is_live[NODES], is_known[NODES]; /* alive, and may move; another one of whom somebody knows */
    unsigned n_known;
    bool left_over; /* something belongs to no live process */
    bool dead_channel; /* somebody knows a channel of a process that has ended */
};

ALWAYS_INLINE bool is_other(const struct known_pids *k, unsigned pid)
{
    return pid >= LIVE_BASE && (pid >= SLOTS || !k->is_live[pid]);
}

static void see_known(void *about, const struct held *h)
{
    struct known_pids *k = about;
    if (h->is_local && is_other(k, h->owner[h->n_owners - 1])) {
        return; /* nobody reads the variables of a process that has ended, also if somebody knows its pid */
    }
    bool reached = true;
    for (unsigned i = 0; i < h->n_owners; i++) {
        const unsigned pid = h->owner[i];
        reached &= !is_other(k, pid) || (pid < SLOTS && k->is_known[pid]);
        k->left_over |= is_other(k, pid) && h->value != h->otherwise;
    }
    k->dead_channel |= h->is_channel && reached && is_other(k, (unsigned)h->value);
    if (h->is_pid && reached && h->value >= LIVE_BASE && h->value < SLOTS && is_other(k, (unsigned)h->value)) {
        k->n_known += !k->is_known[h->value];
        k->is_known[h->value] = true;
    }
}

/* Finds the pids of others that somebody knows who is alive, or who is known himself. */
static void find_known(const word *s, struct known_pids *k)
{
    for (unsigned before = NODES; before != k->n_known;) {
        before = k->n_known;
        each_held(s, see_known, k);
    }
}

/* ------------------------------------------------------------------------------------------- renaming */

/* The cells of one lane, or the global ones, from one state to another. */
static void rename_cells(const struct live_cell *cells, unsigned n, const word *s, unsigned word_from,
                         unsigned shift_from, word *to, unsigned word_to, unsigned shift_to, const struct renaming *r)
{
    for (unsigned i = 0; i < n; i++) {
        const struct live_cell *c = cells + i;
        for (unsigned j = 0; j < c->n_pids; j++) {
            if (c->pid[j] >= LIVE_BASE) {
                set_cell(to, word_to, shift_to, c, c->otherwise);
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        const struct live_cell *c = cells + i, *target = c;
        for (unsigned j = 0; j < c->n_pids && target != NULL; j++) {
            const unsigned pid = c->pid[j];
            const unsigned image = pid < LIVE_BASE ? pid : pid < SLOTS ? r->images[pid] : GONE;
            target = image == GONE ? NULL : target + ((int)image - (int)pid) * c->stride[j];
        }
        if (target != NULL) {
            const val value = renamed(cell_value(s, word_from, shift_from, c), c->holds, r);
            set_cell(to, word_to, shift_to, target, value);
        }
    }
}

/* The state with its processes where the images say; the first so many that have ended are kept as records. */
static void rename_state(const word *s, word *to, const uint8_t *images, unsigned records, unsigned n_live)
{
    const unsigned n = n_processes(s);
    memcpy(to, s, KEY_WORDS * sizeof(word));
    for (unsigned pid = n; pid-- > LIVE_BASE;) {
        clear_lane(to, pid);
    }
    for (unsigned i = 0; i < records; i++) {
        const struct process record = {.lane = {LIVE_RECORD_PC}, .template = LIVE_RECORD};
        put_in(to, LIVE_BASE + i, &record);
    }
    SET_N_PROCESSES(to, n < LIVE_BASE ? n : LIVE_BASE + records + n_live);
    const struct own_channels own = find_own(s);
    uint8_t number[MOST_NUMBERS];
    const struct renaming r = {.images = images, .number = number};
    for (unsigned pid = LIVE_BASE; pid < n; pid++) {
        const unsigned t = template_of(s, pid);
        if (images[pid] != GONE && !HAS_ENDED[t][pc_of(s, pid, t)]) {
            struct process p = {.template = (uint8_t)t};
            take_out(s, pid, &p);
            put_in(to, images[pid], &p);
        }
    }
    number_channels(&own, to, images, number);
    drop_own_channels(to);
    carry_channels(s, &own, to, &r);
    rename_cells(GLOBAL_CELL, N_GLOBAL_CELLS, s, 0, 0, to, 0, 0, &r);
    for (unsigned pid = 0; pid < n; pid++) {
        const unsigned t = template_of(s, pid), image = pid < LIVE_BASE ? pid : images[pid];
        if (pid >= LIVE_BASE && (image == GONE || HAS_ENDED[t][pc_of(s, pid, t)])) {
            continue;
        }
        rename_cells(LOCAL_CELL + LOCAL_FIRST[t], LOCAL_FIRST[t + 1] - LOCAL_FIRST[t], s, LANE_WORD[pid],
                     LANE_SHIFT[pid], to, LANE_WORD[image], LANE_SHIFT[image], &r);
    }
    for (unsigned i = 0; i < N_CARRIERS; i++) {
        const unsigned c = CARRIER[i], t = type_of(s, c);
        for (unsigned m = 0; m < chan_len(s, c); m++) {
            for (unsigned f = 0; f < FIELDS[t]; f++) {
                set_field(to, c, t, m, f, renamed(chan_field(s, c, t, m, f), FIELD_HOLDS[i][f], &r));
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------- the canonical order */

/* One search.  The nodes are the live processes, which stand together, and behind them the pids that are known. */
struct live_search {
    const word *s;
    unsigned first, records, n_live, n;
    const uint64_t *colour; /* while values are looked at */
    uint64_t *sum;
    bool found;
    word best[KEY_WORDS];
    uint8_t place[NODES]; /* of each node in the best order */
};

ALWAYS_INLINE uint64_t stir(uint64_t x, uint64_t y)
{
    x = (x ^ y) * 0x9e3779b97f4a7c15ULL;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL ^ x >> 32;
}

ALWAYS_INLINE bool is_node(const struct live_search *r, val pid)
{
    return pid >= (val)r->first && pid < (val)(r->first + r->n);
}

static void see_edge(void *about, const struct held *h)
{
    struct live_search *r = about;
    val who[4];
    unsigned n = 0, moved = 0;
    for (unsigned i = 0; i < h->n_owners; i++) {
        who[n++] = h->owner[i];
    }
    if (h->is_pid) {
        who[n++] = h->value;
    }
    uint64_t whole = stir(h->label, h->is_pid ? 1 : 2 + (uint64_t)h->value);
    for (unsigned i = 0; i < n; i++) {
        moved += is_node(r, who[i]);
        whole = stir(whole, is_node(r, who[i]) ? r->colour[who[i] - r->first] : ~(uint64_t)who[i]);
    }
    if (moved == 0 || (moved < n && h->value == h->otherwise)) {
        return; /* the elements of arrays that belong to nobody are no news */
    }
    for (unsigned i = 0; i < n; i++) {
        if (is_node(r, who[i])) {
            uint64_t same = i;
            for (unsigned j = 0; j < n; j++) {
                same = same << 1 | (who[j] == who[i]);
            }
            r->sum[who[i] - r->first] += stir(whole, same);
        }
    }
}

static unsigned count_colours(const uint64_t *colour, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;
        while (colour[j] != colour[i]) {
            j++;
        }
        count += j == i;
    }
    return count;
}

/* Tells nodes apart by what is said of them, until nothing new is seen. */
static void refine_live(struct live_search *r, uint64_t *colour)
{
    unsigned count = 0, before = NODES + 1;
    uint64_t sum[NODES];
    r->sum = sum;
    while (count != before && count < r->n) {
        before = count;
        memset(sum, 0, r->n * sizeof *sum);
        r->colour = colour;
        each_held(r->s, see_edge, r);
        for (unsigned i = 0; i < r->n; i++) {
            colour[i] = stir(colour[i], sum[i]);
        }
        count = count_colours(colour, r->n);
    }
}

static void reorder(const struct live_search *r, const uint8_t *place, word *to)
{
    uint8_t images[NODES];
    for (unsigned i = 0; i < NODES; i++) {
        images[i] = is_node(r, i) ? (uint8_t)(r->first + place[i - r->first]) : i < r->first ? (uint8_t)i : GONE;
    }
    rename_state(r->s, to, images, r->records, r->n_live);
}

/* Is the state the same if two nodes change places? */
static bool are_twins(const struct live_search *r, unsigned a, unsigned b)
{
    uint8_t place[NODES];
    word image[KEY_WORDS];
    if ((a < r->n_live) != (b < r->n_live)) {
        return false;
    }
    for (unsigned i = 0; i < r->n; i++) {
        place[i] = (uint8_t)(i == a ? b : i == b ? a : i);
    }
    reorder(r, place, image);
    return memcmp(image, r->s, sizeof image) == 0;
}

ALWAYS_INLINE bool comes_first(const struct live_search *r, const uint64_t *colour, unsigned a, unsigned b)
{
    const bool a_lives = a < r->n_live, b_lives = b < r->n_live;
    return a_lives != b_lives ? a_lives : colour[a] < colour[b];
}

static void compare_leaf(struct live_search *r, const uint64_t *colour)
{
    uint8_t place[NODES];
    word image[KEY_WORDS];
    for (unsigned i = 0; i < r->n; i++) {
        place[i] = 0;
        for (unsigned j = 0; j < r->n; j++) {
            place[i] += comes_first(r, colour, j, i);
        }
    }
    reorder(r, place, image);
    int order = r->found ? 0 : -1;
    for (unsigned i = 0; i < KEY_WORDS && order == 0; i++) {
        order = image[i] < r->best[i] ? -1 : image[i] > r->best[i];
    }
    if (order < 0) {
        r->found = true;
        memcpy(r->best, image, sizeof image);
        memcpy(r->place, place, r->n);
    }
}

/* The nodes that look like the first one that looks like another; how many. */
static unsigned find_alike(const struct live_search *r, const uint64_t *colour, uint8_t *alike)
{
    unsigned first = r->n, count = 0;
    for (unsigned i = 0; i < r->n; i++) {
        unsigned same = 0;
        for (unsigned j = 0; j < r->n; j++) {
            same += colour[j] == colour[i];
        }
        if (same > 1 && (first == r->n || comes_first(r, colour, i, first))) {
            first = i;
        }
    }
    for (unsigned i = 0; first < r->n && i < r->n; i++) {
        if (colour[i] == colour[first]) {
            alike[count++] = (uint8_t)i;
        }
    }
    return count;
}

/* Decides who comes first among those that look alike. */
static void descend_live(struct live_search *r, uint64_t *colour)
{
    uint8_t alike[NODES], tried[NODES];
    const unsigned n = find_alike(r, colour, alike);
    if (n == 0) {
        compare_leaf(r, colour);
        return;
    }
    unsigned n_tried = 0;
    for (unsigned i = 0; i < n; i++) {
        bool twin = false;
        for (unsigned j = 0; j < n_tried && !twin; j++) {
            twin = are_twins(r, alike[i], tried[j]);
        }
        if (!twin) {
            tried[n_tried++] = alike[i];
        }
    }
    for (unsigned i = 0; i < n_tried; i++) {
        uint64_t below[NODES];
        memcpy(below, colour, r->n * sizeof *below);
        if (n_tried == 1) { /* any order of them gives the same state */
            for (unsigned j = 0; j < n; j++) {
                below[alike[j]] = stir(below[alike[j]], j + 7);
            }
        } else {
            below[tried[i]] = stir(below[tried[i]], 99991);
        }
        refine_live(r, below);
        descend_live(r, below);
    }
}

/* With what is in the channels of a process, but for names. */
static uint64_t colour_messages(const word *s, unsigned pid, uint64_t colour)
{
    const struct own_channels own = find_own(s);
    const unsigned t = template_of(s, pid);
    for (unsigned c = FIXED_CHANNELS; c < own.n; c++) {
        for (unsigned m = 0; own.pid[c] == pid && is_stored(c) && m < chan_len(s, c); m++) {
            colour = stir(colour, own.which[c]);
            for (unsigned f = 0; f < FIELDS[type_of(s, c)]; f++) {
                const bool plain = OWN_HOLDS[t][own.which[c]][f] == PLAIN_VALUE;
                colour = stir(colour, plain ? (uint64_t)chan_field(s, c, type_of(s, c), m, f) : 0);
            }
        }
    }
    return colour;
}

/* What a process is, without its pids. */
static uint64_t first_colour(const word *s, unsigned pid)
{
    struct process p;
    const unsigned t = template_of(s, pid);
    take_out(s, pid, &p);
    for (unsigned i = LOCAL_FIRST[t]; i < LOCAL_FIRST[t + 1]; i++) {
        put(p.lane + LOCAL_CELL[i].word, LOCAL_CELL[i].shift, ones(LOCAL_CELL[i].bits), 0);
    }
    uint64_t colour = stir(1, t);
    for (unsigned i = 0; i < LIVE_WORDS; i++) {
        colour = stir(colour, p.lane[i]);
    }
    return OWN_CHANNELS ? colour_messages(s, pid, colour) : colour;
}

/* Sorts the nodes of a state that has them together; `place` of each is in r. */
static void order_live(struct live_search *r)
{
    uint64_t colour[NODES];
    for (unsigned i = 0; i < r->n; i++) {
        colour[i] = i < r->n_live ? first_colour(r->s, r->first + i) : 0;
    }
    refine_live(r, colour);
    descend_live(r, colour);
}

/* ------------------------------------------------------------------------------------------- all together */

ALWAYS_INLINE bool may_start(const word *s)
{
    for (unsigned pid = 0; pid < n_processes(s); pid++) {
        const unsigned t = template_of(s, pid);
        if (MAY_START[t][pc_of(s, pid, t)]) {
            return true;
        }
    }
    return !LIVE_BOUNDED;
}

static void stay(uint8_t *images)
{
    for (unsigned i = 0; images != NULL && i < NODES; i++) {
        images[i] = (uint8_t)i;
    }
}

static MAYBE_UNUSED void fold_state(word *s, uint8_t *images)
{
    const unsigned n = n_processes(s);
    const bool starts = may_start(s);
    if (LIVE_CAUTIOUS && (starts || OWN_CHANNELS)) {
        stay(images);
        return;
    }
    struct known_pids k = {.n_known = 0};
    unsigned n_live = 0;
    for (unsigned pid = LIVE_BASE; pid < n; pid++) {
        const unsigned t = template_of(s, pid);
        k.is_live[pid] = !HAS_ENDED[t][pc_of(s, pid, t)];
        n_live += k.is_live[pid];
    }
    find_known(s, &k);
    if (k.dead_channel || (starts && (k.n_known || k.left_over))) {
        /* SOUND: who gets a pid that is known, or how long a channel lives, depends on who is younger than whom */
        report_reuse();
        stay(images);
        return;
    }
    const unsigned ended = n > LIVE_BASE ? n - LIVE_BASE - n_live : 0, records = kept(ended, n_live);
    uint8_t to[NODES];
    word together[KEY_WORDS];
    unsigned live = LIVE_BASE + records, known = LIVE_BASE + n_live;
    for (unsigned pid = 0; pid < NODES; pid++) {
        to[pid] = (uint8_t)(pid < LIVE_BASE ? pid : k.is_live[pid] ? live++ : k.is_known[pid] ? known++ : GONE);
    }
    rename_state(s, together, to, records, n_live);
    struct live_search r = {
        .s = together, .first = n_live ? LIVE_BASE + records : LIVE_BASE, .records = records, .n_live = n_live};
    r.n = n_live + k.n_known;
    order_live(&r);
    memcpy(s, r.best, sizeof r.best);
    for (unsigned pid = 0; images != NULL && pid < NODES; pid++) {
        const bool moves = pid >= LIVE_BASE && to[pid] != GONE;
        images[pid] = moves ? (uint8_t)(r.first + r.place[to[pid] - r.first]) : to[pid];
    }
}

#endif
