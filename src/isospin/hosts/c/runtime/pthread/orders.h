/* The orders of atomic accesses: those that the program gives, and those that somebody wants to try instead.
 *
 * Asked by two options: `note_orders=1`, which accesses were made, and in which orders; `orders=PC:ORDER,...`, the
 * access at that place of the code is made in this order.
 */
#ifndef ISOSPIN_ORDERS_H
#define ISOSPIN_ORDERS_H

#include "explore/contract.h"

extern bool orders_asked; /* one of the two; else nothing of this costs anything */
void orders_open(void);
/* The order in which an access is made that the program makes in this one. */
int order_asked(enum access_kind kind, int order, const void *pc);
/* One message for each access that was made. */
void orders_tell(void);

static inline int order_at(enum access_kind kind, int order, void **entry)
{
    return orders_asked ? order_asked(kind, order, entry[1]) : order;
}

/* The order of a comparison that fails: as strong as the other one makes it. */
static inline int order_of_failure(int order, int failure)
{
    int reads = order == 5 ? 5 : order == 2 || order == 4 ? 2 : 0;
    return orders_asked && reads > failure ? reads : failure;
}

#endif
