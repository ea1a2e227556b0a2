#include "runtime.h"

#include "symmetry/pointers.h"

#include "symmetry/names.h"

enum { MOST_POINTERS = 4096 };

static struct {
    uint64_t at; /* which state they are of, + 1 */
    int count;
    struct pointer all[MOST_POINTERS];
} pointers;

/* ---------------------------------------------------------------- one after the other */

struct visit {
    pointer_found found;
    void *context;
    const struct part *part;
};

static bool tell(uintptr_t where, uintptr_t word, void *context)
{
    const struct visit *visit = context;
    struct pointer pointer = {where, word, *visit->part};
    return visit->found(&pointer, visit->context);
}

static bool tell_part(const struct part *part, void *context)
{
    struct visit *visit = context;
    visit->part = part;
    return names_of_regions((void *)part->from, part->size, tell, visit);
}

static bool search_memory(pointer_found found, void *context)
{
    struct visit visit = {.found = found, .context = context};
    return memory_each(tell_part, &visit);
}

/* ---------------------------------------------------------------- the list of a state */

static bool add(const struct pointer *pointer, void *unused)
{
    (void)unused;
    if (pointers.count == MOST_POINTERS)
        return false;
    pointers.all[pointers.count++] = *pointer;
    return true;
}

bool pointers_each(pointer_found found, void *context)
{
    if (pointers.at != program_moves + 1) {
        pointers.at = program_moves + 1;
        pointers.count = 0;
        if (!search_memory(add, NULL))
            pointers.count = -1;
    }
    if (pointers.count < 0) /* SOUND: a list that is not complete says nothing. */
        return search_memory(found, context);
    for (int i = 0; i < pointers.count; i++)
        if (!found(&pointers.all[i], context))
            return false;
    return true;
}
