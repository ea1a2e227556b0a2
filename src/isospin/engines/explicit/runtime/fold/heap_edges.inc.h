/* Objects in the refinement: who points to them, and whom they name, tells processes and scalarset values apart.

   Reference: McKay and Piperno 2014 (vertices of several kinds in one refinement); `symmetry/folding/objects.py`.
   Differs: objects that chains from places that do not move lead to have numbers at once, and are no vertices; only the
   loose ones are coloured.  No object is ever individualised: once the processes are in place, chains order the
   objects.

   SOUND: ranks and colours depend on the state only up to symmetry and addresses.

   A template: codegen/templates.py says when it is included. */
#ifndef ISOSPIN_HEAP_EDGES_H
#define ISOSPIN_HEAP_EDGES_H

#define TARGET MIX2

/* ------------------------------------------------------------------------------------------- what is there */

/* The objects in the order of chains; returns how many of them have a number whatever the processes do. */
static unsigned find_objects(const struct canon *r, struct chains *c)
{
    const word *s = r->state;
    c->count = 0;
    memset(c->number, 0, sizeof c->number);
#if HEAP_FOLDS
    struct pointer_place room[MOST_ROOTS];
    unsigned n_roots;
    const struct pointer_place *roots = find_roots(s, room, &n_roots);
    for (unsigned i = 0; i < n_roots; i++) {
        if (!(MOVED_BITS[roots[i].word] >> roots[i].shift & 1)) {
            meet(c, pointer_at(s, roots + i));
        }
    }
    follow_links(s, c, 0);
    const unsigned fixed = c->count;
    for (int i = 0; i < CELLS; i++) {
        if (CELL[i].is_pointer && counts(&CELL[i], r->v)) {
            meet(c, (unsigned)r->v[i]);
        }
    }
    follow_links(s, c, fixed);
    return fixed;
#else /* addresses are plain data: every slot is its own number */
    for (unsigned slot = 0; slot < HEAP_SLOTS; slot++) {
        meet(c, slot + 1);
    }
    return c->count;
#endif
}

static void add_heap_edge(struct heap_edges *b, uint64_t label, int32_t from, int32_t to)
{
    b->edge[b->count++] = (struct heap_edge){label, from, to};
}

/* The state says something about the owners of a movable. */
static void say(struct heap_edges *b, uint64_t *colours, int t, uint64_t label)
{
    const struct owners *o = &OWNERS[t];
    if (o->n_of + o->n_among == 1) {
        colours[o->n_of ? o->of[0] : o->among[0]] += blend(label, MIX3);
    } else {
        add_heap_edge(b, label, ~t, NO_END);
    }
}

static void note_held(struct heap_edges *b, int t)
{
    for (int i = 0; i < OWNERS[t].n_of; i++) {
        b->is_held[OWNERS[t].of[i]] = 1;
    }
    for (int i = 0; i < OWNERS[t].n_among; i++) {
        b->is_held[OWNERS[t].among[i]] = 1;
    }
}

/* An object with a number: it matters whom it names. */
static void see_numbered(struct canon *r, uint64_t *colours, unsigned slot, unsigned number)
{
    const unsigned tag = tag_of(r->state, slot);
    for (unsigned i = 0; i < N_NAME_PLACES[tag]; i++) {
        const struct name_place *h = &NAME_PLACE[tag][i];
        const int t = held_at(r->state + CELL_WORD[slot] + h->word_at, CELL_SHIFT[slot] + h->shift, h);
        if (t >= 0) {
            note_held(&r->heap_edges, t);
            say(&r->heap_edges, colours, t, blend(blend(number, i), HELD));
        }
    }
}

/* A loose object: what is in it, where it points, whom it names. */
static void see_loose(struct canon *r, uint64_t *colours, unsigned slot, const struct chains *c, unsigned fixed)
{
    const word *s = r->state + CELL_WORD[slot];
    const unsigned tag = tag_of(r->state, slot);
    uint64_t *colour = colours + POINTS + slot;
    *colour = tag;
    for (unsigned i = 0; i < CELL_WORDS; i++) {
        *colour = blend(*colour, s[i] >> CELL_SHIFT[slot] & PLAIN[tag][i]);
    }
    for (unsigned l = 0; l < N_LINKS[tag]; l++) {
        const unsigned value = link_at(r->state, slot, &LINK[tag][l]);
        const uint64_t label = blend(tag, l ^ TARGET);
        if (c->number[value] > fixed) {
            add_heap_edge(&r->heap_edges, label, (int32_t)slot, (int32_t)value - 1);
        } else {
            *colour += blend(label, c->number[value]);
        }
    }
    for (unsigned i = 0; i < N_NAME_PLACES[tag]; i++) {
        const struct name_place *h = &NAME_PLACE[tag][i];
        const int t = held_at(s + h->word_at, CELL_SHIFT[slot] + h->shift, h);
        const uint64_t label = blend(tag, i ^ HELD);
        if (t >= 0) {
            note_held(&r->heap_edges, t);
            add_heap_edge(&r->heap_edges, blend(label, (uint64_t)ORBIT[t]), (int32_t)slot, ~t);
        } else {
            *colour += blend(label, s[h->word_at] >> (CELL_SHIFT[slot] + h->shift) & h->mask);
        }
    }
}

/* A pointer that moves with a movable. */
static void see_pointer(struct canon *r, uint64_t *colours, const struct cell *p, word value, const struct chains *c,
                        unsigned fixed)
{
    const unsigned number = c->number[value];
    if (number > fixed) {
        add_heap_edge(&r->heap_edges, blend(p->label, TARGET), ~p->movable, (int32_t)value - 1);
    } else {
        say(&r->heap_edges, colours, p->movable, blend(blend(p->label, TARGET), number));
    }
}

static void find_heap_edges(struct canon *r, uint64_t *colours)
{
    struct chains c;
    const unsigned fixed = find_objects(r, &c);
    r->heap_edges.count = 0;
    r->heap_edges.n_loose = c.count - fixed;
    memset(r->heap_edges.is_held, 0, sizeof r->heap_edges.is_held);
    for (unsigned i = 0; MOST_NAME_PLACES && i < fixed; i++) {
        see_numbered(r, colours, c.met[i] - 1U, i);
    }
    for (int i = 0; i < CELLS; i++) {
        if (CELL[i].is_pointer && counts(&CELL[i], r->v)) {
            see_pointer(r, colours, &CELL[i], r->v[i], &c, fixed);
        }
    }
    for (unsigned i = fixed; i < c.count; i++) {
        r->heap_edges.loose[i - fixed] = (pointer)(c.met[i] - 1);
        see_loose(r, colours, c.met[i] - 1U, &c, fixed);
    }
}

/* ----------------------------------------------------------------------------------- looking along heap edges */

static uint64_t colour_of_end(int32_t end, const uint64_t *colours)
{
    if (end >= 0 || end == NO_END) {
        return end < 0 ? 0 : colours[POINTS + end];
    }
    const struct owners *o = &OWNERS[~end];
    uint64_t whole = 0, rest = 0;
    for (int i = 0; i < o->n_of; i++) {
        whole = blend(whole, colours[o->of[i]]);
    }
    for (int i = 0; i < o->n_among; i++) {
        rest += blend(colours[o->among[i]], MIX1);
    }
    return blend(whole, rest);
}

static void tell_end(int32_t end, uint64_t whole, uint64_t *seen)
{
    if (end >= 0) {
        seen[POINTS + end] += blend(whole, MIX3);
        return;
    }
    if (end == NO_END) {
        return;
    }
    const struct owners *o = &OWNERS[~end];
    for (int i = 0; i < o->n_of; i++) {
        seen[o->of[i]] += blend(whole, (uint64_t)i);
    }
    for (int i = 0; i < o->n_among; i++) {
        seen[o->among[i]] += blend(whole, MIX3);
    }
}

static void look_along_heap_edges(const struct heap_edges *b, const uint64_t *colours, uint64_t *seen)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct heap_edge *one = &b->edge[i];
        const uint64_t from = colour_of_end(one->a, colours), to = colour_of_end(one->b, colours);
        const uint64_t whole = blend(blend(one->label, from), to);
        tell_end(one->a, blend(whole, 1), seen);
        tell_end(one->b, blend(whole, 2), seen);
    }
}

/* About how many colours loose objects have: two may share a bit, which only makes the refinement end early. */
static int count_loose(const struct heap_edges *b, const uint64_t *colours)
{
    word bits[HEAP_SLOTS / 8 + 1] = {0};
    int count = 0;
    for (unsigned i = 0; i < b->n_loose; i++) {
        const uint64_t at = colours[POINTS + b->loose[i]] % (64 * (HEAP_SLOTS / 8 + 1));
        count += !(bits[at / 64] >> at % 64 & 1);
        bits[at / 64] |= (word)1 << at % 64;
    }
    return count;
}

#endif
