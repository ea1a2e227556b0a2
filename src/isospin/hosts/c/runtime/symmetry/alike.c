/* The comparison of threads with their images, see alike.h; cheap differences first.
 *
 * Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, figure 4 (residual code and local state); Robinson 1965
 * (unification).
 * Differs: a renaming must fix everything else, too: memory that names what moves tells threads apart (scene.c).
 * Which cells of memory move is found on the way: where two words differ and point into cells (cells.h), these take
 * each other's part, and so do then the cells that they point to.  At the end everything is compared once more, with a
 * renaming that is complete. Locals are compared only where they are live (places.h), the heap and thread-local storage
 * wholly.  SOUND for programs that do not compute with addresses as numbers: an order of addresses of two regions is
 * not kept by their pair.
 */
#include "symmetry/alike.h"

#include "graphs/history.h"
#include "symmetry/blocks.h"
#include "symmetry/bystander.h"
#include "symmetry/cells.h"
#include "symmetry/image.h"
#include "libc/heap.h"
#include "numbers/ahead.h"
#include "symmetry/scene.h"
#include "wire/outcomes.h"

#include <errno.h>
#include <string.h>

static struct {
    const struct thread *a, *b; /* a thread and its image */
    uintptr_t from_a, from_b;   /* their regions */
} pair;

/* ---------------------------------------------------------------- what they are about to do */

static bool same_span(const struct span *one, const struct span *other)
{
    if (one->space != other->space || one->size != other->size || one->writes != other->writes ||
        one->decides != other->decides)
        return false;
    bool whole = growing || one->space == ENDS || renaming_takes_whole(&map, one->from, one->size);
    return one->space == ENDS ? map.to[one->from] == other->from : whole && same_word(one->from, other->from);
}

static bool same_operation(const struct operation *one, const struct operation *other)
{
    if (one->kind != other->kind || one->waits != other->waits || one->spans != other->spans)
        return false;
    if (renaming_of_set(&map, one->joins) != other->joins)
        return false;
    for (int i = 0; i < one->spans; i++)
        if (!same_span(&one->span[i], &other->span[i]))
            return false;
    return true;
}

/* Does somebody wait for both without a look at their results? */
static bool results_unused(void)
{
    thread_set both = (thread_set)1 << pair.a->number | (thread_set)1 << pair.b->number;
    for (int i = 0; i < now.threads; i++) {
        const struct operation *pending = program_pending(i);
        if (pending && pending->kind == OP_JOIN && (pending->joins & both) == both)
            return true;
    }
    return pair.a->detached;
}

static bool same_record(void)
{
    const struct thread *a = pair.a, *b = pair.b;
    /* SOUND: of loops that wait, the values that were read are no part of the state, but decide who can go on. */
    if (program_enabled(a->number) != program_enabled(b->number))
        return false;
    /* SOUND: what it said so far is a part of the outcome. */
    if (!fibers_round_alike(a->parked, b->parked) || !outcomes_alike(a->number, b->number))
        return false;
    return same_operation(&a->operation, &b->operation) && a->chosen == b->chosen && a->ready == b->ready &&
           a->outcomes == b->outcomes && same_word(a->object, b->object) && same_word(a->second, b->second) &&
           same_word(a->waits_for, b->waits_for) && a->signalled == b->signalled && a->round == b->round &&
           a->time_outs == b->time_outs && a->spurious == b->spurious && a->slept == b->slept && a->files == b->files &&
           a->random == b->random && a->reading == b->reading && a->c11 == b->c11 && a->detached == b->detached &&
           a->joined == b->joined && a->leaves == b->leaves && same_pointer(a->cleanups, b->cleanups) &&
           same_pointer(a->late, b->late) && (results_unused() || same_pointer(a->result, b->result));
}

/* ---------------------------------------------------------------- stacks */

/* SOUND: what is put into a carrier of numbers follows the rules for that, and only what is not is the same as it is.
 */
static bool same_put(void)
{
    const struct thread *a = pair.a, *b = pair.b;
    bool follows = false;
    if (a->hands_on != b->hands_on || !a->hands_on)
        return a->hands_on == b->hands_on;
    look_ahead();
    for (int i = 0; i < ahead.given_count; i++)
        if (ahead.given[i].by == a && !ahead.given[i].leads) {
            follows = true;
            if (!same_carried(ahead.given[i].target, a->put, b->put, a->hands_on))
                return false;
        }
    return follows || (a->hands_on == sizeof a->put ? same_word(a->put, b->put) : a->put == b->put);
}

static bool same_registers(const struct frame *one, const struct frame *other, unsigned registers)
{
    for (int i = 0; i < SAVED_REGISTERS; i++) {
        if (!(registers >> i & 1))
            continue;
        uint64_t carrier = one->pc == other->pc ? one->place->register_carriers[i] : 0;
        uintptr_t first = *one->registers[i], second = *other->registers[i];
        if (carrier ? !same_carried(carrier, first, second, sizeof first) : !same_word(first, second))
            return false;
    }
    return true;
}

static char *at(const struct frame *frame, int32_t offset)
{
    return (char *)(frame->top + (uintptr_t)(intptr_t)offset);
}

static bool same_part(const struct frame *one, const struct frame *other, const struct extent *part, bool may_grow)
{
    bool before = growing;
    growing &= may_grow;
    bool same = same_bytes(at(one, part->low), at(other, part->low), (size_t)(part->high - part->low));
    growing = before;
    return same;
}

/* The same as it is, or both will be written before they are read (race/unread.c). */
static bool is_settled(const struct frame *one, const struct frame *other, const struct extent *part)
{
    struct broken_rule before = broken_rule;
    size_t size = (size_t)(part->high - part->low);
    if (memory_model || !place_tells(one->place, part))
        return false;
    if (same_part(one, other, part, false))
        return true;
    broken_rule = before;
    return race_unread(pair.a->number, (uintptr_t)at(one, part->low), size) &&
           race_unread(pair.b->number, (uintptr_t)at(other, part->low), size);
}

/* `last`: the function with which the thread began. */
static bool same_live(const struct frame *one, const struct frame *other, bool last)
{
    if (one->pc == other->pc) {
        for (unsigned i = 0; i < one->place->live_count; i++) {
            const struct extent *live = &one->place->live[i];
            if (last && place_returns(one->place, live) && results_unused())
                continue;
            if (!is_settled(one, other, live) &&
                !same_held(at(one, live->low), at(other, live->low), (size_t)(live->high - live->low)))
                return false;
        }
        return true;
    }
    numbers_uneven();
    const struct place_pair *pair = place_pair(one->pc, other->pc);
    for (unsigned i = 0; i < pair->count && pair->same; i++) {
        const struct slot *slot = &pair->slots[i];
        if (!same_bytes(at(one, slot->first), at(other, slot->second), (size_t)slot->size))
            return false;
    }
    return pair->same;
}

static bool is_pointed(const struct frame *frame, const struct extent *part)
{
    uintptr_t low, high;
    size_t stride;
    if (!memory_variable(frame, (uintptr_t)at(frame, part->low), &low, &high, &stride))
        return true;
    return scene_points_to(low, high);
}

/* What matters only if there is a pointer to it: the same, or there is none. */
static bool same_pointed(const struct frame *one, const struct frame *other)
{
    for (unsigned i = 0; i < one->place->pointed_count; i++) {
        const struct extent *part = &one->place->pointed[i];
        bool beside = one->pc == other->pc;
        if (beside && same_part(one, other, part, false))
            continue;
        if (!is_pointed(one, part) && !(beside && is_pointed(other, part)))
            continue;
        if (!beside || (!is_settled(one, other, part) && !same_part(one, other, part, true)))
            return false;
    }
    return true;
}

/* With those of the functions that a library calls there. */
static unsigned flags_of(const struct place *place)
{
    unsigned flags = place->flags;
    for (unsigned i = 0; i < place->called_count; i++)
        flags |= place_of_function(place->called[i])->known ? place_of_function(place->called[i])->flags : PLACE_APART;
    return flags;
}

static bool same_frame(const struct frame *one, const struct frame *other, bool last)
{
    unsigned flags = flags_of(one->place) | flags_of(other->place);
    if (flags & PLACE_APART || one->place->registers != other->place->registers)
        return false;
    /* SOUND: if others may know addresses of the stack, these must be images of each other. */
    if (flags & PLACE_EXPOSES && image(one->top) != other->top)
        return false;
    return same_registers(one, other, one->place->registers) && same_live(one, other, last);
}

static bool same_rest(const struct walk *one, const struct walk *other)
{
    if (image(one->rest) != other->rest || one->rest_pc != other->rest_pc)
        return false;
    if (!one->rest)
        return true;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        if (!same_word(*one->rest_registers[i], *other->rest_registers[i]))
            return false;
    return same_bytes((char *)one->rest, (char *)other->rest, pair.from_a + REGION_SIZE - one->rest);
}

static bool same_start(void)
{
    const struct thread *a = pair.a, *b = pair.b;
    const struct place *place = place_of_function((uintptr_t)a->start);
    if (!place->known || place->flags & PLACE_APART)
        return false;
    if (a->start != b->start && !place_pair((uintptr_t)a->start, (uintptr_t)b->start)->same)
        return false;
    if (a->start != b->start)
        numbers_uneven();
    if (a->start == b->start && place->register_carriers[0])
        return same_carried(place->register_carriers[0], (uintptr_t)a->argument, (uintptr_t)b->argument,
                            sizeof a->argument);
    return !place->registers || same_pointer(a->argument, b->argument);
}

/* Is the next frame the one in which a thread begins? */
static bool begins_next(const struct walk *walk, int i)
{
    return i + 1 < walk->count && walk->frames[i + 1].place->flags & PLACE_BEGINNING;
}

static bool same_stack(void)
{
    if (!has_begun(pair.a))
        return same_start();
    const struct walk *one = memory_walk(pair.a), *other = memory_walk(pair.b);
    if (one->count != other->count || !same_rest(one, other))
        return false;
    for (int i = 0; i < one->count; i++)
        if (!same_frame(&one->frames[i], &other->frames[i], begins_next(one, i)))
            return false;
    for (int i = 0; i < one->count; i++)
        if (!same_pointed(&one->frames[i], &other->frames[i]) || !same_pointed(&other->frames[i], &one->frames[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------- heap and thread-local storage */

static bool same_block(const struct part *block, void *unused)
{
    (void)unused;
    char *from = (char *)block->from, *to = (char *)image(block->from);
    bool typed = same_elements(elements_at(block->from), elements_at((uintptr_t)to));
    return typed ? same_held(from, to, block->size) : same_bytes(from, to, block->size);
}

/* With --reuse: what a thread freed it will get again, in that order. */
static bool same_freed(const struct thread *one, const struct thread *other)
{
    const struct block *first = one->freed, *second = other->freed;
    while (first && image((uintptr_t)first) == (uintptr_t)second) {
        first = first->freed_before;
        second = second->freed_before;
    }
    return !program_options.reuse || (!first && !second);
}

/* Libraries leave all kinds of numbers in errno, and few programs look at it. */
static bool same_local_storage(void)
{
    char *one, *other;
    size_t size, other_size, before;
    tls_block(pair.a, &one, &size);
    tls_block(pair.b, &other, &other_size);
    if (size != other_size)
        return false;
    if (scene_looks_at_errno(pair.a) || scene_looks_at_errno(pair.b))
        return same_bytes(one, other, size);
    before = (size_t)((char *)pair.a->tls + ((char *)&errno - (char *)fiber_base()) - one);
    return same_bytes(one, other, before) &&
           same_bytes(one + before + sizeof errno, other + before + sizeof errno, size - before - sizeof errno);
}

static bool same_specific(void)
{
    const char *values = (char *)(pair.from_a + SPECIFIC_FROM);
    int count = pair.a->specific > pair.b->specific ? pair.a->specific : pair.b->specific;
    return same_bytes(values, (char *)image((uintptr_t)values), (size_t)count * sizeof(void *));
}

/* ---------------------------------------------------------------- everything else */

static thread_set those_that_move(void)
{
    thread_set moved = 0;
    for (int i = 0; i < now.threads; i++)
        if (map.to[i] != i)
            moved |= (thread_set)1 << i;
    return moved;
}

static bool others_fixed(void)
{
    thread_set moved = those_that_move();
    for (int i = 0; i < now.threads; i++) {
        const struct operation *pending = program_pending(i);
        if (!pending || moved >> i & 1)
            continue;
        const struct thread *thread = thread_of(i);
        bool hands_on_name = thread->hands_on && image(thread->put) != thread->put;
        if (!same_operation(pending, pending) || !same_freed(thread, thread) || hands_on_name)
            return false;
    }
    if (!joins_fixed(&map))
        return false;
    return map.count || main_stands_by ? scene_stays(&map) : !(scene_named(moved) & moved);
}

/* Other cells may be found on the way, and are compared, too. */
static bool same_cells(void)
{
    for (int i = 0; i < map.count; i++)
        if (!same_held((char *)map.cells[i].from, (char *)map.cells[i].to, map.cells[i].size))
            return false;
    return true;
}

/* What tells a thread apart from its image, or NULL. */
static const char *difference_of(int thread)
{
    pair.a = thread_of(thread);
    pair.b = thread_of(map.to[thread]);
    pair.from_a = pair.a->self;
    pair.from_b = pair.b->self;
    if (!same_record())
        return blame_record(pair.a, pair.b);
    if (!same_put() || !same_stack())
        return "where they are in the program, or what they will read from their stacks";
    if (!same_seats(pair.a, pair.b) || !same_freed(pair.a, pair.b) || !memory_heap(pair.a, same_block, NULL))
        return "what they allocated";
    if (!same_local_storage() || !same_specific())
        return "their thread-local storage";
    return NULL;
}

static const char *difference_of_any(int first)
{
    const char *found = difference_of(first);
    thread_set others = those_that_move() & ~((thread_set)1 << first);
    /* An exchange of two regions is its own inverse. */
    if (!map.count && !numbers_change() && !(others & (others - 1)))
        return found;
    for (; others && !found; others &= others - 1)
        found = difference_of(__builtin_ctzl(others));
    return found;
}

/* Does code that is still to be executed name a variable that moves? */
static bool cells_named(void)
{
    struct global global;
    for (int i = 0; i < map.count; i++) {
        int number = region_owner(map.cells[i].from) < 0 ? place_global(map.cells[i].from, &global) : -1;
        if (number >= 0 && scene_reaches(number))
            return true;
    }
    return false;
}

static const char *difference_of_memory(void)
{
    if (!same_cells())
        return "the memory that they use";
    if (!numbers_change() && !cells_named())
        return NULL;
    return numbers_settle(&map, growing) ? NULL : "the numbers that they have";
}

/* Find the cells and numbers that change; then compare everything once more, with a renaming that is complete. */
static const char *difference_of_parts(int first)
{
    const char *found;
    int before;
    do {
        if (main_stands_by)
            scene_bind_names(&map);
        before = map.count;
        found = difference_of_memory();
    } while (!found && map.count != before);
    if (found)
        return found;
    if (!renaming_close(&map) || !cells_equally_visible(&map))
        return "the memory that they use";
    image_complete();
    numbers_begin();
    found = difference_of_any(first);
    return found ? found : difference_of_memory();
}

static const char *difference(int first)
{
    image_grows();
    numbers_begin();
    const char *found = difference_of_any(first);
    if (!found && (map.count || numbers_change() || main_stands_by))
        found = difference_of_parts(first);
    growing = false;
    if (found)
        return found;
    if (!others_fixed())
        return "something else that names one of them";
    const char *waits = spin_alike(&map) ? NULL : "the loops in which they wait";
    return waits || race_alike(&map, memory_model, !numbers_are_uneven()) || blame_place(race_blamed)
               ? waits
               : "what may still race";
}

/* ---------------------------------------------------------------- the question */

void alike_open(void) { places_open(); }

void alike_watch_main(bool symmetric)
{
    bystander_open();
    if (!symmetric)
        race_without_symmetry();
    else if (!memory_model)
        seats_open();
}

static const char *last_difference;
const char *alike_difference(void) { return last_difference; }

void alike_explain(void)
{
    if (last_difference && !broken_rule.where && last_difference != about_to_do)
        scene_stays(&map);
}

uint64_t alike_questions(void) { return place_questions(); }

/* Is there a renaming, with what is assumed of main? */
static bool is_found(int a, int b)
{
    if (renaming_remember(&map, a, b) && !difference(a))
        return true;
    grew = false;
    renaming_exchange(&map, a, b);
    last_difference = difference(a);
    /* Where cells move or numbers change, they may belong to more than two threads. */
    if (last_difference && (grew || numbers_change()) && renaming_rotate(&map, a, b))
        last_difference = difference(a);
    return !last_difference;
}

/* The same state with another assumption: nothing that was found out about it holds. */
static void assume(bool stands_by)
{
    main_stands_by = stands_by;
    main_waits = stands_by && bystander_waits();
    program_views++;
}

static bool is_found_beside_main(int a, int b)
{
    const char *before = last_difference;
    struct broken_rule rule = broken_rule;
    if (!a || !b || before == about_to_do || !bystander_may())
        return false;
    assume(true);
    bool good = is_found(a, b) && !map.to[0] && bystander_keep(&map);
    assume(false);
    if (good)
        return true;
    last_difference = before;
    broken_rule = rule;
    return false;
}

/* SOUND: what main does is the same in an execution and in its image under a renaming that is watched.  Under one that
 * is not, main does the image of it, which the watched ones must fix as well: they do if they commute with this one, as
 * those do of which it is a part.  All others are watched, too. */
static bool is_found_strictly(int a, int b)
{
    if (!is_found(a, b))
        return false;
    if (bystander_goes_with(&map) || (!map.to[0] && bystander_keep(&map)))
        return true;
    last_difference = "what main does, which is taken for a bystander beside others";
    return false;
}

bool alike(int a, int b, struct renaming *found)
{
    if (!program_pending(a) || !program_pending(b) || a == b)
        return false;
    broken_rule = (struct broken_rule){0};
    last_difference = differ_anyway(thread_of(a), thread_of(b));
    bool good = !last_difference && (is_found_strictly(a, b) || is_found_beside_main(a, b));
    good = good && cells_have_no_seats(&map);
    if (good)
        *found = map;
    return good;
}

/* ---------------------------------------------------------------- what is left behind */

/* The blocks that a thread allocated are its image's, too. */
static bool left_alike(int thread)
{
    pair.a = thread_of(thread);
    pair.b = thread_of(map.to[thread]);
    pair.from_a = pair.a->self;
    pair.from_b = pair.b->self;
    if (pair.a->joined != pair.b->joined || pair.a->detached != pair.b->detached ||
        !(pair.a->joined || same_pointer(pair.a->result, pair.b->result)))
        return false;
    if (left_nothing(pair.a) && left_nothing(pair.b)) /* of the program */
        return true;
    return same_seats(pair.a, pair.b) && same_freed(pair.a, pair.b) && memory_heap(pair.a, same_block, NULL);
}

static bool is_left_behind(void)
{
    for (thread_set moved = those_that_move(); moved; moved &= moved - 1)
        if (!left_alike(__builtin_ctzl(moved)))
            return false;
    return same_cells() && scene_stays(&map) && numbers_left_behind(&map);
}

bool alike_left_behind(const struct watched *watched)
{
    map = watched->renaming;
    image_complete();
    numbers_begin();
    numbers_as(watched->numbers, watched->changed);
    main_waits = true;
    bool same = is_left_behind();
    main_waits = false;
    return same;
}
