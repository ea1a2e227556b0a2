/* Renamings that were found, and what they do to actions. */
#include "orbits/images.h"

#include "symmetry/alike.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"
#include "fibers/stopwatch.h"
#include "mix.h"

#include <stddef.h>
#include <string.h>

static struct operation renamed(const struct operation *op, const struct renaming *renaming)
{
    struct operation image = *op;
    for (int i = 0; i < op->spans; i++)
        image.span[i].from =
            op->span[i].space == ENDS ? renaming->to[op->span[i].from] : renaming_seat(renaming, op->span[i].from);
    image.joins = renaming_of_set(renaming, op->joins);
    return image;
}

uint32_t image_of_action(struct memo *memo, const struct renaming *renaming, uint32_t number)
{
    GROW(memo->known, memo->room, number + 1);
    if (!memo->known[number]) {
        struct operation op = renamed(&action(number)->op, renaming);
        uint32_t image = action_number(renaming->to[action(number)->thread], &op);
        memo->known[number] = image + 1;
    }
    return memo->known[number] - 1;
}

/* The same renaming, in as much room as it needs. */
static const struct renaming *kept(const struct renaming *renaming)
{
    size_t size = offsetof(struct renaming, cells) + (size_t)renaming->count * sizeof *renaming->cells;
    return memcpy(arena_take(size), renaming, size);
}

static uint64_t number_of(const struct renaming *renaming)
{
    uint64_t all = (uint64_t)renaming->count, word;
    for (size_t i = 0; i < sizeof renaming->to; i += sizeof word) {
        memcpy(&word, renaming->to + i, sizeof word);
        all = mix(all, word);
    }
    for (int i = 0; i < renaming->count; i++)
        all = mix(mix(all, renaming->cells[i].from), renaming->cells[i].to);
    return all;
}

struct image *image_of(struct search *search, const struct renaming *renaming)
{
    struct image **list = &search->symmetry.images[number_of(renaming) % IMAGE_LISTS];
    struct renaming inverse;
    for (struct image *i = *list; i; i = i->next)
        if (renaming_equal(i->renaming, renaming))
            return i;
    struct image *new = arena_take(sizeof *new);
    renaming_inverse(renaming, &inverse);
    new->renaming = kept(renaming);
    new->inverse = kept(&inverse);
    new->next = *list;
    return *list = new;
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

struct image *find_image(struct search *search, int a, int b)
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
    return image ? image->renaming : NULL;
}
