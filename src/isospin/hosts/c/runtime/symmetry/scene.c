#include "symmetry/scene.h"

#include "symmetry/cells.h"
#include "symmetry/names.h"

#include <string.h>

enum { MOST_GLOBALS = 1 << 16, MOST_SUSPECTS = 64, MOST_WALKS = 32 };

/* Bytes that name threads, and matter only if there is a pointer to them. */
struct suspect {
    uintptr_t low, high;
    int owner; /* -1: a variable of the program */
    thread_set names;
};

static struct {
    uint64_t at, reached_at; /* which state it is of, + 1 */
    bool everything_reached, walks_anywhere;
    uint32_t walks[MOST_WALKS]; /* sizes of the objects over which code can still go */
    int walk_count;
    uint64_t reached[MOST_GLOBALS / 64]; /* variables of the program that code can still name */
    thread_set by_shared, by_thread[MOST_THREADS];
    struct suspect suspects[MOST_SUSPECTS];
    int suspect_count;
} scene;

/* ---------------------------------------------------------------- variables that can still be reached */

static void walk(uint32_t size)
{
    for (int i = 0; i < scene.walk_count; i++)
        if (scene.walks[i] == size)
            return;
    if (!size || scene.walk_count == MOST_WALKS)
        scene.walks_anywhere = true;
    else
        scene.walks[scene.walk_count++] = size;
}

static void reach(const struct place *place)
{
    if (!place->known || place->object_count == EVERYTHING)
        scene.everything_reached = true;
    for (unsigned i = 0; place->known && i < place->walk_count; i++)
        walk(place->walks[i]);
    for (int i = 0; i < place->object_count; i++)
        scene.reached[place->objects[i] / 64] |= (uint64_t)1 << place->objects[i] % 64;
}

bool take_places(const struct thread *thread, void (*take)(const struct place *))
{
    if (!has_begun(thread)) {
        if (thread->number != 0)
            take(place_of_function((uintptr_t)thread->start));
        return thread->number != 0;
    }
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++)
        take(walk->frames[i].place);
    return walk->rest == 0;
}

static void find_reached(void)
{
    if (scene.reached_at == program_moves + 1)
        return;
    scene.reached_at = program_moves + 1;
    scene.walks_anywhere = false;
    scene.walk_count = 0;
    memset(scene.reached, 0, (size_t)(place_globals() + 63) / 64 * sizeof *scene.reached);
    scene.everything_reached = place_globals() > MOST_GLOBALS;
    for (int i = 0; i < now.threads && !scene.everything_reached; i++)
        if (thread_of(i)->life == LIVING && !take_places(thread_of(i), reach))
            scene.everything_reached = true;
}

bool scene_reaches(int global)
{
    find_reached();
    return scene.everything_reached || scene.reached[global / 64] >> global % 64 & 1;
}

bool scene_reaches_everything(void)
{
    find_reached();
    return scene.everything_reached;
}

bool scene_walks(size_t size)
{
    find_reached();
    for (int i = 0; i < scene.walk_count; i++)
        if (scene.walks[i] == size)
            return true;
    return scene.everything_reached || scene.walks_anywhere;
}

/* Is it a variable of the program that no code names any more? */
static bool is_unreached(uintptr_t address, struct global *global)
{
    if (scene.everything_reached)
        return false;
    int number = place_global(address, global);
    return number >= 0 && !(scene.reached[number / 64] >> number % 64 & 1);
}

/* ---------------------------------------------------------------- names */

static void name(int owner, thread_set whom)
{
    if (owner < 0)
        scene.by_shared |= whom;
    else
        scene.by_thread[owner] |= whom;
}

static void suspect(int owner, uintptr_t low, uintptr_t high, thread_set whom)
{
    for (int i = 0; i < scene.suspect_count; i++)
        if (scene.suspects[i].low == low) {
            scene.suspects[i].names |= whom;
            return;
        }
    if (scene.suspect_count == MOST_SUSPECTS)
        name(owner, whom);
    else
        scene.suspects[scene.suspect_count++] = (struct suspect){low, high, owner, whom};
}

static bool found_name(uintptr_t where, uintptr_t word, void *context)
{
    const struct part *part = context;
    struct global global;
    int whom = region_owner(word);
    if (whom == part->owner)
        return true;
    thread_set bit = (thread_set)1 << whom;
    if (part->kind == STACK_IF_POINTED || part->kind == HEAP_IF_POINTED)
        suspect(part->owner, part->low, part->high, bit);
    else if (part->kind == SHARED && is_unreached(where, &global))
        suspect(part->owner, global.low, global.high, bit);
    else
        name(part->owner, bit);
    return true;
}

static bool find_names(const struct part *part, void *unused)
{
    (void)unused;
    return part->kind == CONSTANT || names_of_regions((void *)part->from, part->size, found_name, (void *)part);
}

/* ---------------------------------------------------------------- pointers to a range */

struct range {
    uintptr_t low, high;
};

static bool found_pointer(uintptr_t where, uintptr_t word, void *context)
{
    const struct range *range = context;
    (void)word;
    return where - range->low < range->high - range->low; /* one from inside does not count */
}

static bool find_pointers(const struct part *part, void *context)
{
    const struct range *range = context;
    if (part->kind == STACK_TO_FREE)
        return true;
    return names_between((void *)part->from, part->size, range->low, range->high, found_pointer, context);
}

bool scene_points_to(uintptr_t low, uintptr_t high)
{
    struct range range = {low, high};
    return !memory_each(find_pointers, &range);
}

/* SOUND: memory that is dead itself, but not suspect, counts as memory that points. */
static void clear_suspects(void)
{
    for (int i = 0; i < scene.suspect_count; i++) {
        const struct suspect *suspect = &scene.suspects[i];
        if (scene_points_to(suspect->low, suspect->high))
            name(suspect->owner, suspect->names);
    }
}

/* ---------------------------------------------------------------- the state */

static void look(void)
{
    if (scene.at == program_moves + 1)
        return;
    scene.at = program_moves + 1;
    scene.by_shared = 0;
    scene.suspect_count = 0;
    memset(scene.by_thread, 0, sizeof scene.by_thread);
    find_reached();
    memory_each(find_names, NULL);
    clear_suspects();
}

thread_set scene_named(thread_set these)
{
    look();
    thread_set named = scene.by_shared;
    for (int i = 0; i < now.threads; i++)
        if (!(these >> i & 1))
            named |= scene.by_thread[i];
    return named;
}

/* ---------------------------------------------------------------- cells that move */

struct sight {
    const struct renaming *renaming;
    const struct part *part;
    uintptr_t low, high; /* of the variables among the cells that move */
    uintptr_t asked;     /* what was asked last, and whether there was no pointer to it */
    bool dead;
};

/* Does it matter only if there is a pointer to it, and is there none? */
static bool is_dead(struct sight *sight, uintptr_t where)
{
    const struct part *part = sight->part;
    struct global found = {.low = part->low, .high = part->high};
    if (part->kind != STACK_IF_POINTED && part->kind != HEAP_IF_POINTED)
        if ((part->kind != SHARED && part->kind != CONSTANT) || !is_unreached(where, &found))
            return false;
    if (sight->asked != found.low) {
        sight->asked = found.low;
        sight->dead = !scene_points_to(found.low, found.high);
    }
    return sight->dead;
}

static bool name_stays(uintptr_t where, uintptr_t word, void *context)
{
    struct sight *sight = context;
    if (renaming_image(sight->renaming, word) == word)
        return true;
    if (where % sizeof word == 0 && renaming_move(sight->renaming, where)) /* it moves itself, and is compared there */
        return true;
    return is_dead(sight, where);
}

static bool part_stays(const struct part *part, void *context)
{
    struct sight *sight = context;
    if (part->owner >= 0 && sight->renaming->to[part->owner] != part->owner)
        return true;
    sight->part = part;
    return names_of_regions((void *)part->from, part->size, name_stays, sight) &&
           (sight->low == sight->high ||
            names_between((void *)part->from, part->size, sight->low, sight->high - 1, name_stays, sight));
}

bool scene_stays(const struct renaming *renaming)
{
    struct sight sight = {.renaming = renaming};
    find_reached();
    cells_variables(renaming, &sight.low, &sight.high);
    return memory_each(part_stays, &sight);
}
