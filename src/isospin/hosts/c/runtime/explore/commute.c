#include "explore/commute.h"

#include "await/await.h"
#include "runtime.h"
#include "wire/places.h"

bool forgot_order;

enum commuting commuting_at(enum commuting kind, void **entry)
{
    if (!running || !await_wanted || known_order() || kind == COMMUTES_NEVER)
        return COMMUTES_NEVER;
    running = false; /* what we ask for is not the program's reading and writing */
    const struct place *place = place_frame((uintptr_t)entry[1]);
    running = true;
    return place->known && place->flags & PLACE_UNUSED ? kind : COMMUTES_NEVER;
}

void keep_order(void)
{
    if (await_wanted && !known_order())
        learn_order();
}
