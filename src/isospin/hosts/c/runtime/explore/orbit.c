/* Reference: Godefroid, FORTE 1999; Yang, Chen, Gopalakrishnan, Wang, SPIN 2009.
 * Differs: as ../../../dpor.py and ../../../orbit.py say.  Threads that are born by a thread that a renaming moves have
 * images that we do not know: there the comparison with what was explored ends.
 */
#include "explore/orbit.h"

#include "symmetry/alike.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"

#include <string.h>

enum { MOST_ELEMENTS = 120 };

/* ---------------------------------------------------------------- sets of actions */

void seen_add(struct seen *set, uint32_t number)
{
    GROW(set->bits, set->words, number / 64 + 1);
    set->bits[number / 64] |= 1ULL << (number % 64);
}

void seen_remove(struct seen *set, uint32_t number)
{
    if (number / 64 < set->words)
        set->bits[number / 64] &= ~(1ULL << (number % 64));
}

bool seen_has(const struct seen *set, uint32_t number)
{
    return number / 64 < set->words && set->bits[number / 64] >> (number % 64) & 1;
}

void seen_join(struct seen *set, const struct seen *more)
{
    if (!more->words)
        return;
    GROW(set->bits, set->words, more->words);
    for (unsigned i = 0; i < more->words; i++)
        set->bits[i] |= more->bits[i];
}

static void seen_clear(struct seen *set)
{
    arena_give(set->bits, set->words * sizeof *set->bits);
    *set = (struct seen){0};
}

/* ---------------------------------------------------------------- renamings */

static struct operation renamed(const struct operation *op, const struct renaming *renaming)
{
    struct operation image = *op;
    for (int i = 0; i < op->spans; i++)
        image.span[i].from =
            op->span[i].space == ENDS ? renaming->to[op->span[i].from] : renaming_seat(renaming, op->span[i].from);
    image.joins = renaming_of_set(renaming, op->joins);
    return image;
}

static uint32_t mapped(struct memo *memo, const struct renaming *renaming, uint32_t number)
{
    GROW(memo->known, memo->room, number + 1);
    if (!memo->known[number]) {
        struct operation op = renamed(&action(number)->op, renaming);
        uint32_t image = action_number(renaming->to[action(number)->thread], &op);
        memo->known[number] = image + 1;
    }
    return memo->known[number] - 1;
}

static struct image *image_of(struct search *search, const struct renaming *renaming)
{
    for (struct image *i = search->symmetry.images; i; i = i->next)
        if (renaming_equal(&i->renaming, renaming))
            return i;
    struct image *new = arena_take(sizeof *new);
    new->renaming = *renaming;
    renaming_inverse(renaming, &new->inverse);
    new->next = search->symmetry.images;
    return search->symmetry.images = new;
}

static struct image *exchange(struct search *search, int a, int b)
{
    struct renaming swap;
    renaming_clear(&swap);
    swap.to[a] = (uint8_t)b;
    swap.to[b] = (uint8_t)a;
    return image_of(search, &swap);
}

static void note_apart(struct symmetry *symmetry, const void *pc, const char *why)
{
    struct apart *apart = symmetry->apart, *end = apart + symmetry->apart_count;
    while (apart < end && (apart->pc != pc || apart->why != why))
        apart++;
    if (apart == symmetry->apart + MOST_APART)
        return;
    if (apart == end)
        symmetry->apart[symmetry->apart_count++] = (struct apart){why, pc, 0};
    apart->times++;
}

static void note_difference(struct symmetry *symmetry, int a, int b)
{
    const struct operation *one = program_pending(a), *other = program_pending(b);
    if (one && other && one->pc == other->pc && alike_difference())
        note_apart(symmetry, one->pc, alike_difference());
}

/* A renaming that fixes the state and takes the first thread to the second, or NULL. */
static struct image *find_image(struct search *search, int a, int b)
{
    struct renaming found;
    uint64_t before = cycles_now();
    bool answer = alike(a, b, &found);
    search->symmetry.cycles += cycles_now() - before;
    search->symmetry.checks++;
    search->symmetry.successes += answer;
    if (!answer)
        note_difference(&search->symmetry, a, b);
    return answer ? image_of(search, &found) : NULL;
}

const struct renaming *orbit_alike(struct search *search, int first, int second)
{
    const struct image *image = find_image(search, first, second);
    return image ? &image->renaming : NULL;
}

/* ---------------------------------------------------------------- the renamings that fix a state */

struct classes {
    uint8_t member[MOST_THREADS][MOST_THREADS];
    int size[MOST_THREADS];
    int count;
    struct image *generator[MOST_THREADS]; /* each takes the first of a class to another one */
    int generators;
    bool simple; /* all of them exchange two threads, and no cell moves */
};

static bool is_simple(const struct image *image, int a, int b)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (image->renaming.to[t] != t && t != a && t != b)
            return false;
    return !image->renaming.count;
}

static bool join_class(struct search *search, struct classes *found, int c, int thread)
{
    int first = found->member[c][0];
    struct image *image = find_image(search, first, thread);
    if (!image)
        return false;
    found->simple &= is_simple(image, first, thread);
    found->generator[found->generators++] = image;
    return true;
}

static void classify(struct search *search, const struct node *node, struct classes *found)
{
    found->count = found->generators = 0;
    found->simple = true;
    FOR_EACH (t, node->pending) {
        int c = 0;
        while (c < found->count && !join_class(search, found, c, (int)t))
            c++;
        if (c == found->count)
            found->size[found->count++] = 0;
        found->member[c][found->size[c]++] = (uint8_t)t;
    }
}

static void add_fixing(struct orbit *orbit, struct image *image)
{
    GROW(orbit->fixing, orbit->fixing_room, orbit->fixing_count + 1);
    orbit->fixing[orbit->fixing_count++] = image;
}

static bool is_small(const struct classes *classes)
{
    long elements = 1;
    for (int c = 0; c < classes->count; c++)
        for (int i = 2; i <= classes->size[c] && elements <= MOST_ELEMENTS; i++)
            elements *= i;
    return elements <= MOST_ELEMENTS;
}

static void add_exchanges(struct search *search, struct orbit *orbit, const struct classes *classes)
{
    for (int c = 0; c < classes->count; c++)
        for (int i = 0; i < classes->size[c]; i++)
            for (int j = i + 1; j < classes->size[c]; j++)
                add_fixing(orbit, exchange(search, classes->member[c][i], classes->member[c][j]));
}

static bool moves(const struct renaming *renaming)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (renaming->to[t] != t)
            return true;
    return renaming->count > 0;
}

/* All products of permutations of the classes from class `c` on, place `i` in it; in lexicographic order. */
static void add_products(struct search *search, struct orbit *orbit, const struct classes *classes, int c, int i,
                         thread_set used, struct renaming *made)
{
    if (c == classes->count) {
        if (moves(made))
            add_fixing(orbit, image_of(search, made));
        return;
    }
    if (i == classes->size[c]) {
        add_products(search, orbit, classes, c + 1, 0, 0, made);
        return;
    }
    int from = classes->member[c][i];
    for (int j = 0; j < classes->size[c]; j++)
        if (!(used & only(j))) {
            made->to[from] = classes->member[c][j];
            add_products(search, orbit, classes, c, i + 1, used | only(j), made);
        }
    made->to[from] = (uint8_t)from;
}

static bool is_fixing(const struct orbit *orbit, const struct image *image)
{
    for (unsigned i = 0; i < orbit->fixing_count; i++)
        if (orbit->fixing[i] == image)
            return true;
    return false;
}

/* One more, if it is new; false: there are too many. */
static bool add_element(struct search *search, struct orbit *orbit, const struct renaming *element)
{
    struct image *image = moves(element) ? image_of(search, element) : NULL;
    if (!image || is_fixing(orbit, image))
        return true;
    if (orbit->fixing_count + 1 == MOST_ELEMENTS)
        return false;
    add_fixing(orbit, image);
    return true;
}

/* All products of the generators; false: they are too many. */
static bool add_group(struct search *search, struct orbit *orbit, const struct classes *classes)
{
    struct renaming product;
    for (int i = 0; i < classes->generators; i++)
        if (!add_element(search, orbit, &classes->generator[i]->renaming))
            return false;
    for (unsigned e = 0; e < orbit->fixing_count; e++)
        for (int i = 0; i < classes->generators; i++)
            if (!renaming_product(&orbit->fixing[e]->renaming, &classes->generator[i]->renaming, &product) ||
                !add_element(search, orbit, &product))
                return false;
    return true;
}

/* For each two of a class one that takes the one to the other. */
static void add_pairs(struct search *search, struct orbit *orbit, const struct classes *classes)
{
    orbit->fixing_count = 0;
    for (int c = 0; c < classes->count; c++)
        for (int i = 0; i < classes->size[c]; i++)
            for (int j = i + 1; j < classes->size[c]; j++) {
                struct image *image = find_image(search, classes->member[c][i], classes->member[c][j]);
                if (image && !is_fixing(orbit, image))
                    add_fixing(orbit, image);
            }
}

void orbit_born(struct search *search, struct node *node)
{
    struct classes classes;
    struct renaming made;
    classify(search, node, &classes);
    renaming_clear(&made);
    node->orbit.is_group = true;
    if (!classes.simple) {
        node->orbit.is_group = add_group(search, &node->orbit, &classes);
        if (!node->orbit.is_group)
            add_pairs(search, &node->orbit, &classes);
    } else if (is_small(&classes)) {
        add_products(search, &node->orbit, &classes, 0, 0, 0, &made);
    } else {
        node->orbit.is_group = false;
        add_exchanges(search, &node->orbit, &classes);
    }
}

/* ---------------------------------------------------------------- leaving out */

/* A thread is not explored at a node: whoever races with its first operation must be, as if it had been. */
static void go_on_with_rivals(struct search *search, int event, int thread, const struct seen *seen)
{
    const struct operation *first = &action(search->stack[event]->action[thread])->op;
    for (unsigned i = 0; i < seen->words; i++)
        for (uint64_t rest = seen->bits[i]; rest; rest &= rest - 1) {
            const struct action *a = action(i * 64 + (unsigned)__builtin_ctzl(rest));
            if (a->thread != thread && !action_joins(a) && dependent(&a->op, first))
                orbit_go_back(search, event, a->thread, (struct place){first->pc, first->kind},
                              (struct place){a->op.pc, a->op.kind});
        }
}

/* SOUND: a thread that sleeps since an earlier node was explored there, with its races.  If it is wanted here, whoever
 * comes between the event of this node and its operation must be explored here. */
static void rouse(struct search *search, int event, thread_set threads)
{
    struct orbit *orbit = &search->stack[event]->orbit;
    orbit->wanted |= threads;
    FOR_EACH (t, threads) {
        struct seen seen = jobs_resolved(search, &orbit->asleep[t]);
        go_on_with_rivals(search, event, (int)t, &seen);
        seen_clear(&seen);
    }
}

void orbit_go_back(struct search *search, int event, int thread, struct place here, struct place there)
{
    struct node *node = search->stack[event];
    if (event <= search->jobs.base) {
        jobs_wish(search, &(struct wish){.depth = event, .thread = thread, .back = true, .here = here, .there = there});
        return;
    }
    thread_set wanted = node->enabled & only(thread) ? only(thread) : node->enabled;
    rouse(search, event, wanted & node->sleep & ~(node->orbit.owned | node->orbit.wanted));
    /* SOUND: a node that explores nobody yet leaves out nobody, not the thread whose number a shift by -1 gives. */
    wanted &= ~(node->waiting | node->sleep | (node->thread < 0 ? 0 : only(node->thread)));
    FOR_EACH (t, wanted)
        want(node, (int)t);
    if (wanted)
        search_note_reversed(search, here, there);
}

static void go_back_for(struct search *search, const struct node *node, uint32_t number)
{
    const struct action *a = action(number);
    const struct trail *trail = &search->trail;
    if (action_joins(a))
        return;
    bool was_there = (node->pending & only(a->thread)) || trail->of[a->thread].count;
    int before = was_there ? trail_before(trail, a->thread) : -1;
    for (unsigned i = 0; i < a->count; i++)
        for (int32_t e = action(a->rivals[i])->last; e >= 0; e = trail->events[e].previous) {
            if (trail_happened(trail, e, before))
                break;
            /* SOUND: if another thread has the lock before the event, the event that took it is also among these, or
             * known. */
            if (trail_admits_before(a, e))
                orbit_go_back(search, e, a->thread,
                              (struct place){trail->events[e].pc, action(trail->events[e].action)->op.kind},
                              (struct place){a->op.pc, a->op.kind});
        }
}

/* SOUND: the races of the subtree that is left out with earlier events: what orders them behind the node is not known,
 * and not assumed.  `set` are the actions of the subtree that was explored, the renaming takes it to the one that is
 * left out. */
static void leave_out(struct search *search, struct node *node, const struct seen *set, struct memo *memo,
                      const struct renaming *renaming, struct seen *images)
{
    struct seen whole = jobs_resolved(search, set);
    for (unsigned i = 0; i < whole.words; i++)
        for (uint64_t rest = whole.bits[i]; rest; rest &= rest - 1)
            seen_add(images, mapped(memo, renaming, i * 64 + (unsigned)__builtin_ctzl(rest)));
    for (unsigned i = 0; i < images->words; i++)
        for (uint64_t rest = images->bits[i]; rest; rest &= rest - 1)
            go_back_for(search, node, i * 64 + (unsigned)__builtin_ctzl(rest));
    seen_join(&node->orbit.seen, images);
    seen_clear(&whole);
}

bool orbit_skips(struct search *search, struct node *node, int thread)
{
    FOR_EACH (twin, node->sleep) {
        struct image *image = find_image(search, (int)twin, thread);
        if (!image)
            continue;
        if (search->height - 1 == search->jobs.base)
            jobs_disown(search); /* there is nothing to explore for a copy */
        struct seen images = {0};
        leave_out(search, node, &node->orbit.asleep[twin], &image->there, &image->renaming, &images);
        node->orbit.asleep[thread] = images;
        node->orbit.owned |= only(thread);
        node->sleep |= only(thread);
        /* SOUND: the races of what is left out with its own first operation.  Those of its twin may have been left to
         * the subtree of a sleeping thread, and that is where we are. */
        go_on_with_rivals(search, search->height - 1, thread, &images);
        search->symmetry.skipped++;
        return true;
    }
    return false;
}

static void choice_seen(struct orbit *orbit, struct seen seen)
{
    GROW(orbit->choices, orbit->choice_room, orbit->choice_count + 1);
    orbit->choices[orbit->choice_count++] = seen;
}

/* SOUND: the renaming fixes the state and who signals, and takes the one that was woken to the one that would be; so
 * the subtree is an image, and the races that it has with earlier events and with the signal are looked for. */
bool orbit_skips_choice(struct search *search, struct node *node)
{
    int next = program_woken(node->thread, node->choice);
    for (unsigned c = 0; next >= 0 && c < node->orbit.choice_count; c++) {
        struct image *image = find_image(search, program_woken(node->thread, (int)c), next);
        if (!image || image->renaming.to[node->thread] != node->thread)
            continue;
        struct seen images = {0};
        leave_out(search, node, &node->orbit.choices[c], &image->there, &image->renaming, &images);
        choice_seen(&node->orbit, images);
        go_on_with_rivals(search, search->height - 1, node->thread, &images);
        search->symmetry.skipped++;
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- is it the image of what was explored? */

/* One walk down the stack: the images of which events were met so far. */
struct walk {
    const struct search *search;
    struct image *image;
    int base;
    unsigned past[MOST_THREADS];  /* of each thread, how many of its events come before the base */
    unsigned count[MOST_THREADS]; /* and how many were met since */
};

/* The event whose image is the next one of a thread, if it can come next; else -1. */
static int next_event(const struct walk *walk, int thread)
{
    const struct trail *trail = &walk->search->trail;
    int who = walk->image->inverse.to[thread];
    int32_t index = trail_nth(trail, who, walk->past[who] + walk->count[thread]);
    if (index < 0)
        return -1;
    unsigned count;
    const int32_t *causes = trail_causes(trail, index, &count);
    for (unsigned i = 0; i < count; i++) {
        int32_t cause = causes[i];
        if (cause < walk->base)
            continue;
        int other = trail->events[cause].thread; /* met, if not later than those of its thread that were */
        unsigned met = walk->past[other] + walk->count[walk->image->renaming.to[other]];
        if (met == 0 || trail->of[other].events[met - 1] < cause)
            return -1;
    }
    return index;
}

/* The outcomes of a signal are the threads that it wakes: under a renaming another outcome, and we do not know which.
 */
static bool names_threads(const struct node *node)
{
    return node->choices > 1 && action(node->action[node->thread])->op.kind == OP_SIGNAL;
}

/* What was seen where the node explored the next event of the image already; NULL: it did not. */
static const struct seen *explored_at(const struct walk *walk, const struct node *node)
{
    FOR_EACH (t, node->sleep)
        if (next_event(walk, (int)t) >= 0)
            return &node->orbit.asleep[t];
    if (!node->orbit.choice_count || names_threads(node))
        return NULL;
    int index = next_event(walk, node->thread);
    if (index < 0 || (unsigned)walk->search->trail.events[index].choice >= node->orbit.choice_count)
        return NULL;
    return &node->orbit.choices[walk->search->trail.events[index].choice];
}

static bool meets(struct walk *walk, int depth)
{
    const struct event *event = &walk->search->trail.events[depth];
    int index = next_event(walk, event->thread);
    if (index < 0)
        return false;
    struct event other = walk->search->trail.events[index];
    if (other.choice != event->choice ||
        mapped(&walk->image->there, &walk->image->renaming, other.action) != event->action)
        return false;
    if (names_threads(walk->search->stack[depth]))
        return false;
    /* SOUND: a child of a thread that moves is the image of another thread, and we do not know which. */
    if (action(event->action)->op.kind == OP_CREATE && walk->image->renaming.to[event->thread] != event->thread)
        return false;
    walk->count[event->thread]++;
    return true;
}

static const struct seen *covering(const struct search *search, int base, struct image *image)
{
    struct walk walk = {.search = search, .image = image, .base = base};
    for (int t = 0; t < search->trail.threads; t++)
        walk.past[t] = trail_past(&search->trail, t, base);
    for (int depth = base; depth < search->height; depth++) {
        const struct seen *seen = explored_at(&walk, search->stack[depth]);
        if (seen)
            return seen;
        if (!meets(&walk, depth))
            return NULL;
    }
    return NULL;
}

static bool is_covered(struct search *search, struct node *child)
{
    for (int base = 0; base < search->height; base++) {
        struct orbit *orbit = &search->stack[base]->orbit;
        for (unsigned i = 0; i < orbit->fixing_count; i++) {
            struct image *image = orbit->fixing[i];
            const struct seen *seen = covering(search, base, image);
            if (!seen)
                continue;
            struct seen images = {0};
            leave_out(search, child, seen, &image->back_there, &image->inverse, &images);
            seen_clear(&images);
            search->symmetry.covered++;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- nodes */

void orbit_clear(struct node *node)
{
    struct orbit *orbit = &node->orbit;
    seen_clear(&orbit->seen);
    FOR_EACH (t, orbit->owned)
        seen_clear(&orbit->asleep[t]);
    for (unsigned i = 0; i < orbit->choice_count; i++)
        seen_clear(&orbit->choices[i]);
    orbit->owned = orbit->wanted = 0;
    orbit->choice_count = orbit->fixing_count = 0;
}

void orbit_child(struct search *search, const struct node *node, struct node *child)
{
    FOR_EACH (t, child->pending)
        seen_add(&child->orbit.seen, child->action[t]);
    FOR_EACH (t, child->sleep) {
        child->orbit.asleep[t] = node->orbit.asleep[t];
        seen_join(&child->orbit.seen, &child->orbit.asleep[t]);
    }
    if (__builtin_popcountl(child->pending) > __builtin_popcountl(node->pending))
        orbit_born(search, child);
    child->covered = is_covered(search, child);
}

void orbit_closed(struct node *parent, struct node *child)
{
    struct orbit *orbit = &parent->orbit;
    seen_add(&child->orbit.seen, parent->action[parent->thread]);
    seen_join(&orbit->seen, &child->orbit.seen);
    choice_seen(orbit, child->orbit.seen);
    child->orbit.seen = (struct seen){0};
}

void orbit_sleep(struct node *node, int thread, uint32_t mark)
{
    struct orbit *orbit = &node->orbit;
    for (unsigned i = 0; i < orbit->choice_count; i++)
        seen_clear(&orbit->choices[i]);
    orbit->choice_count = 0;
    orbit->asleep[thread] = (struct seen){0};
    orbit->owned |= only(thread);
    seen_add(&orbit->asleep[thread], mark);
}

void orbit_explored(struct node *node, int thread, struct seen seen)
{
    seen_join(&node->orbit.seen, &seen);
    node->orbit.asleep[thread] = seen;
    node->orbit.owned |= only(thread);
}

void orbit_done(struct node *node, int thread)
{
    struct orbit *orbit = &node->orbit;
    struct seen all = {0};
    for (unsigned i = 0; i < orbit->choice_count; i++) {
        seen_join(&all, &orbit->choices[i]);
        seen_clear(&orbit->choices[i]);
    }
    orbit->choice_count = 0;
    orbit->asleep[thread] = all;
    orbit->owned |= only(thread);
}
