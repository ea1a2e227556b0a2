#include "graphs/later.h"

#include "explore/arena.h"

static struct graph *stack;
static unsigned height, stack_room;
static struct origin because;

void later_open(void)
{
    height = 0;
    later_because(NULL, NULL);
}

void later_because(const struct graph_event *one, const struct graph_event *other)
{
    because = one && other ? (struct origin){one->pc, other->pc, one->kind, other->kind} : (struct origin){0};
}

struct graph *leave_graph(const struct graph *g)
{
    GROW(stack, stack_room, height + 1);
    graph_copy(&stack[height], g);
    stack[height].because = because;
    return &stack[height++];
}

void leave_made(struct graph *g)
{
    GROW(stack, stack_room, height + 1);
    struct graph room = stack[height];
    stack[height] = *g;
    stack[height++].because = because;
    *g = room;
}

unsigned graphs_left(void) { return height; }

const struct graph *graph_left(unsigned number) { return &stack[number]; }

void take_up(struct graph *here, unsigned number)
{
    struct graph taken = stack[number];
    for (height--; number < height; number++)
        stack[number] = stack[number + 1];
    stack[height] = *here; /* its room is used again */
    *here = taken;
}

void graphs_drop(unsigned left) { height = left; }

void graphs_only(unsigned from, unsigned to)
{
    for (height = 0; from < to; from++, height++) {
        struct graph low = stack[height];
        stack[height] = stack[from];
        stack[from] = low; /* its room is used again */
    }
}
