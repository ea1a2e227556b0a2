#include "pthread/orders.h"

#include "wire/message.h"

#include <stdlib.h>

enum { MOST = 256 }; /* accesses that are noted, or changed */

struct place {
    uintptr_t pc;
    int kind, order;
};

bool orders_asked;
static bool noting;
static struct place noted[MOST], wanted[MOST];
static int noted_count, wanted_count;

void orders_open(void)
{
    noting = option("note_orders");
    const char *at = option_text("orders");
    while (at && *at && wanted_count < MOST) {
        char *end;
        struct place *place = &wanted[wanted_count++];
        place->pc = strtoul(at, &end, 10);
        place->order = (int)strtol(end + 1, &end, 10);
        at = *end ? end + 1 : end;
    }
    orders_asked = noting || wanted_count;
}

static void note(enum access_kind kind, int order, uintptr_t pc)
{
    for (int i = 0; i < noted_count; i++)
        if (noted[i].pc == pc)
            return;
    if (noted_count < MOST)
        noted[noted_count++] = (struct place){.pc = pc, .kind = kind, .order = order};
}

int order_asked(enum access_kind kind, int order, const void *pc)
{
    if (noting)
        note(kind, order & 7, (uintptr_t)pc);
    for (int i = 0; i < wanted_count; i++)
        if (wanted[i].pc == (uintptr_t)pc)
            return wanted[i].order;
    return order;
}

void orders_tell(void)
{
    for (int i = 0; i < noted_count; i++) {
        message_begin(MESSAGE_ORDER);
        message_number("pc", (long long)noted[i].pc);
        message_number("access", noted[i].kind);
        message_number("order", noted[i].order);
        message_end();
    }
}
