/* The renamings that fix a state in which threads were born. */
#include "orbits/images.h"

#include "explore/arena.h"
#include "explore/explore.h"
#include "explore/search.h"

enum { MOST_ELEMENTS = 120 };

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
        if (image->renaming->to[t] != t && t != a && t != b)
            return false;
    return !image->renaming->count;
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

static struct image *exchange(struct search *search, int a, int b)
{
    struct renaming swap;
    renaming_clear(&swap);
    swap.to[a] = (uint8_t)b;
    swap.to[b] = (uint8_t)a;
    return image_of(search, &swap);
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

/* Was it not put into the present collection yet?  Then it is now. */
static bool is_new(const struct search *search, struct image *image)
{
    if (image->collected == search->symmetry.collections)
        return false;
    image->collected = search->symmetry.collections;
    return true;
}

/* One more, if it is new; false: there are too many. */
static bool add_element(struct search *search, struct orbit *orbit, const struct renaming *element)
{
    struct image *image = moves(element) ? image_of(search, element) : NULL;
    if (!image || !is_new(search, image))
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
    search->symmetry.collections++;
    for (int i = 0; i < classes->generators; i++)
        if (!add_element(search, orbit, classes->generator[i]->renaming))
            return false;
    for (unsigned e = 0; e < orbit->fixing_count; e++)
        for (int i = 0; i < classes->generators; i++)
            if (!renaming_product(orbit->fixing[e]->renaming, classes->generator[i]->renaming, &product) ||
                !add_element(search, orbit, &product))
                return false;
    return true;
}

/* For each two of a class one that takes the one to the other. */
static void add_pairs(struct search *search, struct orbit *orbit, const struct classes *classes)
{
    orbit->fixing_count = 0;
    search->symmetry.collections++;
    for (int c = 0; c < classes->count; c++)
        for (int i = 0; i < classes->size[c]; i++)
            for (int j = i + 1; j < classes->size[c]; j++) {
                struct image *image = find_image(search, classes->member[c][i], classes->member[c][j]);
                if (image && is_new(search, image))
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
