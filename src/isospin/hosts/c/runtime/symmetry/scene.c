#include "symmetry/scene.h"

#include "symmetry/bystander.h"
#include "symmetry/cells.h"
#include "symmetry/names.h"
#include "libc/heap.h"

#include <string.h>

enum { MOST_GLOBALS = 1 << 16, MOST_SUSPECTS = 64, MOST_WALKS = 32, MOST_WAYS = 64 };

/* Bytes that name threads, and matter only if there is a pointer to them. */
struct suspect {
    uintptr_t low, high;
    int owner; /* -1: a variable of the program */
    thread_set names;
};

static struct {
    uint64_t at, reached_at; /* which state it is of, + 1 */
    bool everything_reached, walks_anywhere;
    bool by_bystander; /* the code that is looked at is his, and he leaves alone what moves */
    bool by_main;
    uint32_t walks[MOST_WALKS]; /* sizes of the objects over which code can still go */
    int walk_count;
    uint64_t reached[MOST_GLOBALS / 64]; /* variables of the program that code can still name */
    uint64_t by_others[MOST_GLOBALS / 64]; /* the same for the code of all but main */
    uint64_t ways_at; /* which state the ranges below are of, + 1 */
    struct {
        uintptr_t low, high;
        bool found; /* somebody other than main may get there */
    } ways[MOST_WAYS];
    int way_count;
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

static void reach(const struct place *place, bool stands)
{
    if (!place->known || place->object_count == EVERYTHING)
        scene.everything_reached = true;
    /* SOUND: the walk of the call in which it stands is still to come. */
    if (stands && place->flags & PLACE_WALKS && !scene.by_bystander)
        scene.walks_anywhere = true;
    for (unsigned i = 0; place->known && i < place->walk_count && !scene.by_bystander; i++)
        walk(place->walks[i]);
    for (int i = 0; i < place->object_count; i++) {
        uint64_t bit = (uint64_t)1 << place->objects[i] % 64;
        scene.reached[place->objects[i] / 64] |= bit;
        scene.by_others[place->objects[i] / 64] |= scene.by_main ? 0 : bit;
    }
}

bool take_places(const struct thread *thread, place_taker *take)
{
    if (!has_begun(thread)) {
        if (thread->number != 0)
            take(place_of_function((uintptr_t)thread->start), false);
        return thread->number != 0;
    }
    const struct walk *walk = memory_walk(thread);
    for (int i = 0; i < walk->count; i++) {
        const struct place *place = walk->frames[i].place;
        bool stands = i == 0 || !is_users_code((void *)walk->frames[i - 1].pc);
        take(place, stands);
        /* SOUND: a function with which a thread is about to be started, or that a library calls, comes behind no place.
         */
        for (unsigned f = 0; stands && f < place->called_count; f++)
            take(place_of_function(place->called[f]), false);
    }
    return walk->rest == 0;
}

static bool errno_counts;

static void look_for_errno(const struct place *place, bool stands)
{
    (void)stands;
    errno_counts |= (place->flags & PLACE_ERRNO) != 0;
}

bool scene_looks_at_errno(const struct thread *thread)
{
    errno_counts = false;
    return !take_places(thread, look_for_errno) || errno_counts;
}

static void find_reached(void)
{
    if (scene.reached_at == program_views + 1)
        return;
    scene.reached_at = program_views + 1;
    scene.walks_anywhere = false;
    scene.walk_count = 0;
    memset(scene.reached, 0, (size_t)(place_globals() + 63) / 64 * sizeof *scene.reached);
    memset(scene.by_others, 0, (size_t)(place_globals() + 63) / 64 * sizeof *scene.by_others);
    scene.everything_reached = place_globals() > MOST_GLOBALS;
    for (int i = 0; i < now.threads && !scene.everything_reached; i++) {
        scene.by_main = i == 0;
        scene.by_bystander = main_stands_by && i == 0;
        if (thread_of(i)->life == LIVING && !take_places(thread_of(i), reach))
            scene.everything_reached = true;
    }
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

static bool find_name(const struct pointer *pointer, void *unused)
{
    (void)unused;
    const struct part *part = &pointer->part;
    struct global global;
    int whom = region_owner(pointer->word);
    if (part->kind == CONSTANT || whom == part->owner || is_from_before(pointer->where, pointer->word))
        return true;
    thread_set bit = (thread_set)1 << whom;
    if (part->kind == STACK_IF_POINTED || part->kind == HEAP_IF_POINTED)
        suspect(part->owner, part->low, part->high, bit);
    else if (part->kind == SHARED && is_unreached(pointer->where, &global))
        suspect(part->owner, global.low, global.high, bit);
    else
        name(part->owner, bit);
    return true;
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

/* The same for a range in the memory of a thread. */
static bool is_elsewhere(const struct pointer *pointer, void *context)
{
    const struct range *range = context;
    if (pointer->part.kind == STACK_TO_FREE || pointer->word - range->low > range->high - range->low)
        return true;
    return found_pointer(pointer->where, pointer->word, context);
}

bool scene_points_to(uintptr_t low, uintptr_t high)
{
    struct range range = {low, high};
    bool listed = region_owner(low) >= 0 && region_owner(high) >= 0;
    return listed ? !pointers_each(is_elsewhere, &range) : !memory_each(find_pointers, &range);
}

/* Variables of a library. */
static bool is_data_of_library(const struct part *part)
{
    const struct piece *pieces;
    for (int i = reset_pieces(&pieces) - 1; i >= 0 && part->kind == SHARED; i--)
        if ((uintptr_t)pieces[i].from == part->from)
            return !pieces[i].users;
    return false;
}

static bool find_pointers_of_program(const struct part *part, void *context)
{
    return is_data_of_library(part) || find_pointers(part, context);
}

bool scene_program_points_to(uintptr_t low, uintptr_t high)
{
    struct range range = {low, high};
    return !memory_each(find_pointers_of_program, &range);
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
    if (scene.at == program_views + 1)
        return;
    scene.at = program_views + 1;
    scene.by_shared = 0;
    scene.suspect_count = 0;
    memset(scene.by_thread, 0, sizeof scene.by_thread);
    find_reached();
    pointers_each(find_name, NULL);
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

/* SOUND: what only main uses, and only when all others have ended, is the same in an execution and its image. */
static bool is_mains_own(const struct sight *sight, uintptr_t where)
{
    enum part_kind kind = sight->part->kind;
    bool own = sight->part->owner == 0 && kind != HEAP_IF_POINTED;
    return main_waits && own && race_private(0, where, sizeof where, sight->renaming);
}

/* When all have ended: what a library allocated for itself in one of them may as well lie in another. */
static bool is_librarys(const struct sight *sight, uintptr_t word)
{
    int owner = region_owner(word);
    if (!main_waits || owner < 0 || thread_of(owner)->life != ENDED || sight->part->kind != SHARED || !in_heap(word))
        return false;
    const struct block *block = block_around(word);
    if (!block) /* it may point just behind the last byte */
        block = block_around(word - 1);
    return block && !block->freed && !numbers_of_program(block);
}

static bool word_stays(uintptr_t where, uintptr_t word, void *context)
{
    struct sight *sight = context;
    if (renaming_word(sight->renaming, word) == word || is_mains_own(sight, where) || is_librarys(sight, word))
        return true;
    if (is_from_before(where, word))
        return true;
    if (where % sizeof word == 0 && renaming_move(sight->renaming, where)) /* it moves itself, and is compared there */
        return true;
    return is_dead(sight, where) || blame_place(where);
}

static bool part_moves(const struct sight *sight, const struct part *part)
{
    return part->owner >= 0 && sight->renaming->to[part->owner] != part->owner;
}

static bool pointer_stays(const struct pointer *pointer, void *context)
{
    struct sight *sight = context;
    sight->part = &pointer->part;
    return part_moves(sight, &pointer->part) || word_stays(pointer->where, pointer->word, sight);
}

static bool part_stays(const struct part *part, void *context)
{
    struct sight *sight = context;
    sight->part = part;
    return part_moves(sight, part) ||
           names_between((void *)part->from, part->size, sight->low, sight->high - 1, word_stays, sight);
}

bool scene_stays(const struct renaming *renaming)
{
    struct sight sight = {.renaming = renaming};
    find_reached();
    cells_variables(renaming, &sight.low, &sight.high);
    return pointers_each(pointer_stays, &sight) && (sight.low == sight.high || memory_each(part_stays, &sight));
}

/* ---------------------------------------------------------------- names that take each other's place */

struct naming {
    struct renaming *renaming;
    uintptr_t where; /* a name that moves is here */
};

static bool bind_name(uintptr_t there, uintptr_t word, void *context)
{
    struct naming *naming = context;
    (void)word;
    return there % sizeof there || (!cells_bind_word(naming->renaming, naming->where, there) &&
                                    !cells_bind(naming->renaming, naming->where, there));
}

static bool find_partner(const struct pointer *pointer, void *context)
{
    struct naming *naming = context;
    const struct part *part = &pointer->part;
    uintptr_t where = pointer->where, image = renaming_word(naming->renaming, pointer->word);
    if (part->kind == CONSTANT || (part->owner >= 0 && naming->renaming->to[part->owner] != part->owner))
        return true;
    if (image == pointer->word || where % sizeof where || renaming_move(naming->renaming, where))
        return true;
    naming->where = where;
    names_between((void *)part->from, part->size, image, image, bind_name, naming);
    return true;
}

void scene_bind_names(struct renaming *renaming)
{
    struct naming naming = {.renaming = renaming};
    pointers_each(find_partner, &naming);
}

/* ---------------------------------------------------------------- memory that only main can still touch */

struct way {
    uintptr_t low, high;
    const struct part *part;
};

/* Code of others does not name the variable, and nothing points to it. */
static bool is_lost(uintptr_t where)
{
    struct global global;
    int number = place_global(where, &global);
    return number >= 0 && !(scene.by_others[number / 64] >> number % 64 & 1) && !global.fixed &&
           !scene_points_to(global.low, global.high);
}

static bool is_no_way(uintptr_t where, uintptr_t word, void *context)
{
    const struct way *way = context;
    (void)word;
    return where - way->low < way->high - way->low || (way->part->kind == SHARED && is_lost(where));
}

static bool has_no_way(const struct part *part, void *context)
{
    struct way *way = context;
    way->part = part;
    if (part->owner == 0 && part->kind != HEAP_IF_POINTED)
        return true;
    return names_between((void *)part->from, part->size, way->low, way->high, is_no_way, way);
}

static bool is_way_known(uintptr_t low, uintptr_t high)
{
    struct way way = {.low = low, .high = high};
    if (scene.ways_at != program_views + 1)
        scene.way_count = 0;
    scene.ways_at = program_views + 1;
    for (int i = 0; i < scene.way_count; i++)
        if (scene.ways[i].low == low)
            return scene.ways[i].found;
    bool found = !memory_each(has_no_way, &way);
    if (scene.way_count < MOST_WAYS) {
        scene.ways[scene.way_count].low = low;
        scene.ways[scene.way_count].high = high;
        scene.ways[scene.way_count++].found = found;
    }
    return found;
}

bool scene_out_of_reach(uintptr_t address)
{
    struct global global;
    find_reached();
    if (!main_waits || scene.everything_reached)
        return false;
    if (in_heap(address)) {
        const struct block *block = block_around(address);
        return block && !is_way_known((uintptr_t)(block + 1), (uintptr_t)(block + 1) + block->size);
    }
    int number = region_owner(address) < 0 ? place_global(address, &global) : -1;
    if (number < 0 || global.fixed || scene.by_others[number / 64] >> number % 64 & 1)
        return false;
    return !is_way_known(global.low, global.high);
}
