/* Loops without end that do not wait: a thread comes to the same operation, in the same call, so often and no more. */
#include "runtime.h"

enum { OPERATIONS = 256 }; /* of one thread; a power of two */

static struct visits {
    struct visit {
        const void *pc, *frame;
        unsigned count;
    } visit[OPERATIONS];
    bool over;
} all[MOST_THREADS];

void unroll_begin(int thread) { all[thread] = (struct visits){0}; }

bool unroll_is_over(int thread) { return all[thread].over; }

static struct visit *visit_of(struct visits *visits, void **entry)
{
    size_t at = ((uintptr_t)entry[1] * 31 + (uintptr_t)entry[0]) * 0x9e3779b97f4a7c15ul >> 56;
    for (int i = 0; i < OPERATIONS; i++, at = (at + 1) % OPERATIONS) {
        struct visit *visit = &visits->visit[at];
        if (!visit->pc || (visit->pc == entry[1] && visit->frame == entry[0]))
            return visit;
    }
    return NULL; /* too many to count */
}

void unroll_count(void **entry)
{
    struct visits *visits = &all[current->number];
    struct visit *visit = visit_of(visits, entry);
    if (!visit)
        return;
    *visit = (struct visit){entry[1], entry[0], visit->count + 1};
    if (visit->count > program_options.unroll) {
        visits->over = true;
        learn_incomplete("a loop went round more often than was asked for (--unroll)");
    }
}
