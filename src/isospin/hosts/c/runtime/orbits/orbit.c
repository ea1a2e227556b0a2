/* Reference: Godefroid, FORTE 1999; Yang, Chen, Gopalakrishnan, Wang, SPIN 2009.
 * Differs: as ../../../dpor.py and ../../../orbit.py say.  Threads that are born by a thread that a renaming moves have
 * images that we do not know: there the comparison with what was explored ends.
 */
#include "orbits/images.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"

/* ---------------------------------------------------------------- leaving out */

/* A thread is not explored at a node: whoever races with its first operation must be, as if it had been. */
static void go_on_with_rivals(struct search *search, int event, int thread, const struct seen *seen)
{
    const struct operation *first = &action(search->stack[event]->action[thread])->op;
    for (unsigned i = 0; i < seen->words; i++)
        for (uint64_t rest = seen->bits[i]; rest; rest &= rest - 1) {
            struct deed each = deed(i * 64 + (unsigned)__builtin_ctzl(rest));
            const struct action *a = action(each.action);
            bool ahead = each.nth >= trail_past(&search->trail, a->thread, event);
            if (ahead && a->thread != thread && !action_joins(a) && dependent(&a->op, first))
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
    thread_set explored = node->thread < 0 ? 0 : only(node->thread);
    node->todo.certain |= wanted & explored;
    wanted &= ~(node->sleep | explored);
    bool new = wanted & ~node->todo.threads;
    FOR_EACH (t, wanted)
        wanted_add(&node->todo, (int)t, (struct doubt){0});
    if (new)
        search_note_reversed(search, here, there);
}

/* The images of deeds under a renaming that fixes the state at a node.  What was done before is none of them: who
 * sleeps has seen more than what comes now. */
static struct seen images_of(const struct search *search, const struct seen *set, int base, struct memo *memo,
                             const struct renaming *renaming)
{
    struct seen images = {0};
    const struct trail *trail = &search->trail;
    for (unsigned i = 0; i < set->words; i++)
        for (uint64_t rest = set->bits[i]; rest; rest &= rest - 1) {
            struct deed each = deed(i * 64 + (unsigned)__builtin_ctzl(rest));
            int thread = action(each.action)->thread, there = renaming->to[thread];
            unsigned done = trail_past(trail, thread, base);
            if (each.nth >= done)
                seen_add(&images, deed_number(image_of_action(memo, renaming, each.action),
                                              each.nth - done + trail_past(trail, there, base)));
        }
    return images;
}

/* SOUND: the races of the subtree that is left out with earlier events.  `set` are the deeds of the subtree that was
 * explored, the renaming, which fixes the state at the base, takes it to the one that is left out. */
static struct seen leave_out(struct search *search, struct node *node, const struct seen *set, int base,
                             struct memo *memo, const struct renaming *renaming)
{
    struct seen whole = jobs_resolved(search, set), images = images_of(search, &whole, base, memo, renaming);
    go_back_for_races(search, node, &images);
    seen_join(&node->orbit.seen, &images);
    seen_clear(&whole);
    return images;
}

bool orbit_skips(struct search *search, struct node *node, int thread)
{
    FOR_EACH (twin, node->sleep) {
        struct image *image = find_image(search, (int)twin, thread);
        if (!image)
            continue;
        if (search->height - 1 == search->jobs.base)
            jobs_disown(search); /* there is nothing to explore for a copy */
        struct seen images =
            leave_out(search, node, &node->orbit.asleep[twin], search->height - 1, &image->there, image->renaming);
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
        if (!image || image->renaming->to[node->thread] != node->thread)
            continue;
        struct seen images =
            leave_out(search, node, &node->orbit.choices[c], search->height - 1, &image->there, image->renaming);
        choice_seen(&node->orbit, images);
        go_on_with_rivals(search, search->height - 1, node->thread, &images);
        search->symmetry.skipped++;
        return true;
    }
    return false;
}

static bool is_covered(struct search *search, struct node *child)
{
    struct image *image;
    int base;
    const struct seen *seen = find_covering(search, &image, &base);
    if (!seen)
        return false;
    struct seen images = leave_out(search, child, seen, base, &image->back_there, image->inverse);
    seen_clear(&images);
    search->symmetry.covered++;
    return true;
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
        seen_add(&child->orbit.seen, deed_number(child->action[t], search->trail.of[t].count));
    FOR_EACH (t, child->sleep) {
        child->orbit.asleep[t] = node->orbit.asleep[t];
        seen_join(&child->orbit.seen, &child->orbit.asleep[t]);
    }
    if (__builtin_popcountl(child->pending) > __builtin_popcountl(node->pending))
        orbit_born(search, child);
    child->covered = is_covered(search, child);
}

void orbit_abandon(struct node *node)
{
    struct orbit *orbit = &node->orbit;
    for (unsigned i = 0; i < orbit->choice_count; i++)
        seen_clear(&orbit->choices[i]);
    orbit->choice_count = 0;
}

void orbit_closed(const struct search *search, struct node *parent, struct node *child)
{
    struct orbit *orbit = &parent->orbit;
    unsigned nth = search->trail.of[parent->thread].count;
    seen_add(&child->orbit.seen, deed_number(parent->action[parent->thread], nth));
    seen_join(&orbit->seen, &child->orbit.seen);
    choice_seen(orbit, child->orbit.seen);
    child->orbit.seen = (struct seen){0};
}

void orbit_sleep(struct node *node, int thread, uint32_t mark)
{
    struct orbit *orbit = &node->orbit;
    orbit_abandon(node);
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
