/* A run of joins, `for (i = 0; i < n; i++) pthread_join(t[i], NULL);`, is one operation: a join of the whole set.
 *
 * At a join the thread goes on as if it had returned, and collects further ones, until it reaches anything that is more
 * than its own affair; there its pending operation is the join of all, and what it reached comes after.  While it is
 * ahead it may read, and write its own stack.
 *
 * SOUND: a join only waits, so what lies between two of them commutes with all others if nobody else touches the same
 * bytes before the joins are done.  That is watched; if somebody does, the joins are done before such an access from
 * the next execution on.  Not every write is told (structs that functions return, inline assembly), so what was read
 * ahead also has to be there still when the joins are done.
 */
#include "mix.h"
#include "pthread/sync.h"
#include "symmetry/bystander.h"

#include <string.h>

enum { MOST_AHEAD = 64 };

static struct ahead {
    int accesses;
    struct access {
        uintptr_t from;
        size_t size;
        bool writes;
        bool stays; /* nobody changes what is there, as far as is known */
        const void *pc;
        uint64_t content; /* when it was read */
    } access[MOST_AHEAD];
    struct access next; /* what comes after the joins, if it is an access to memory */
    const void *pc;     /* of the first join */
    void *frame;        /* of the function that made it */
} all[MOST_THREADS];

thread_set threads_ahead;

void joins_reset(void) { threads_ahead = 0; }

/* ---------------------------------------------------------------- the operation */

static bool all_ended(const struct thread *thread)
{
    for (thread_set left = thread->operation.joins; left; left &= left - 1) {
        const struct thread *other = thread_of(__builtin_ctzl(left));
        if (other->life != ENDED || other->leaves)
            return false;
    }
    return true;
}

void perform_join(thread_set joins, const void *pc, void **entry)
{
    struct operation *operation = pend(OP_JOIN, entry);
    operation->joins = joins;
    operation->waits = true;
    operation->pc = pc;
    current->ready = all_ended;
    perform();
    for (thread_set left = joins; left; left &= left - 1) {
        const struct thread *other = thread_of(__builtin_ctzl(left));
        race_joined(current->number, other->number);
        if (other->slept > current->slept)
            current->slept = other->slept;
    }
}

/* ---------------------------------------------------------------- collecting */

/* The frame of the user's function that called, perhaps through a library that keeps no frames. */
static void *users_frame(void **entry)
{
    void *frame = is_users_code(entry[1]) ? entry[0] : current->frame;
    return in_stack((uintptr_t)frame, current->number) && frame >= (void *)entry ? frame : entry;
}

void join_later(struct thread *other, void **entry)
{
    struct ahead *ahead = &all[current->number];
    if (!current->joining) {
        ahead->accesses = 0;
        ahead->next = (struct access){0};
        ahead->pc = entry[1];
        ahead->frame = users_frame(entry);
    }
    threads_ahead |= (thread_set)1 << current->number;
    current->joining |= (thread_set)1 << other->number;
}

static uint64_t content_of(uintptr_t from, size_t size)
{
    uint64_t content = size, word = 0;
    for (size_t at = 0; at < size; at += sizeof word, word = 0) {
        memcpy(&word, (const void *)(from + at), size - at < sizeof word ? size - at : sizeof word);
        content = mix(content, word);
    }
    return content;
}

/* The thread itself is about to change its own variables. */
static void note_own_write(struct ahead *ahead, uintptr_t from, size_t size)
{
    for (int i = 0; i < ahead->accesses; i++)
        if (ahead->access[i].from < from + size && from < ahead->access[i].from + ahead->access[i].size)
            ahead->access[i].stays = false;
}

bool may_go_ahead(uintptr_t from, size_t size, bool writes, const void *pc)
{
    struct ahead *ahead = &all[current->number];
    bool own = in_stack(from, current->number) && in_stack(from + size - 1, current->number);
    if ((writes && !own) || ahead->accesses == MOST_AHEAD || !is_alive(from, size))
        return false;
    if (known_visible(from, size) || known_shared(from, size))
        return false;
    if (writes)
        note_own_write(ahead, from, size);
    ahead->access[ahead->accesses++] = (struct access){
        .from = from,
        .size = size,
        .writes = writes,
        .stays = !writes,
        .pc = pc,
        .content = writes ? 0 : content_of(from, size),
    };
    return true;
}

/* SOUND: somebody changed what was read ahead, and nobody was told. */
static void check_ahead(const struct ahead *ahead)
{
    bool changed = false;
    for (int i = 0; i < ahead->accesses; i++) {
        const struct access *a = &ahead->access[i];
        if (!a->stays || content_of(a->from, a->size) == a->content)
            continue;
        learn_shared(a->from, a->size);
        changed = true;
    }
    if (changed)
        abandon();
}

/* The joins are to be done now.  Only then do the accesses count, as what they are: after the joins. */
void join_now(void **entry)
{
    struct ahead *ahead = &all[current->number];
    thread_set joins = current->joining;
    current->joining = 0;
    perform_join(joins, ahead->pc, entry);
    threads_ahead &= ~((thread_set)1 << current->number);
    check_ahead(ahead);
    for (int i = 0; i < ahead->accesses; i++) {
        const struct access *a = &ahead->access[i];
        check_race(a->from, a->size, a->writes ? RACE_WRITE : RACE_READ, a->pc);
    }
}

void join_before(uintptr_t from, size_t size, bool writes, void **entry)
{
    all[current->number].next = (struct access){.from = from, .size = size, .writes = writes, .pc = entry[1]};
    join_now(entry);
}

/* SOUND: the threads may still use variables of the function that started them: its frame must stay until they have
 * ended. Functions that were called since are left freely. */
void leave_function(void *frame, void **entry)
{
    if (frame >= all[current->number].frame)
        join_now(entry);
}

/* ---------------------------------------------------------------- watching */

/* SOUND: what the other thread read ahead is wrong now; nothing that this execution shows counts. */
static void watch_one(const struct ahead *ahead, uintptr_t from, size_t size, bool writes)
{
    for (int i = 0; i < ahead->accesses; i++) {
        const struct access *a = &ahead->access[i];
        if (a->from >= from + size || from >= a->from + a->size || !(writes || a->writes))
            continue;
        learn_shared(a->from, a->size);
        abandon();
    }
}

void watch_ahead(uintptr_t from, size_t size, bool writes)
{
    for (thread_set left = threads_ahead & ~((thread_set)1 << current->number); left; left &= left - 1)
        watch_one(&all[__builtin_ctzl(left)], from, size, writes);
}

/* ---------------------------------------------------------------- symmetry */

static bool is_ahead_of(const struct ahead *ahead, uintptr_t from, const struct access *access)
{
    for (int i = 0; i < ahead->accesses; i++)
        if (ahead->access[i].from == from && ahead->access[i].size == access->size &&
            ahead->access[i].writes == access->writes)
            return true;
    return false;
}

/* SOUND: what it is about to access is no part of its operation, which is to wait. */
static bool is_next_fixed(int thread, const struct renaming *renaming)
{
    const struct access *one = &all[thread].next, *other = &all[renaming->to[thread]].next;
    if (thread == 0 && main_stands_by) /* it is watched */
        return true;
    return one->size == other->size && one->writes == other->writes &&
           (!one->size || (renaming_takes_whole(renaming, one->from, one->size) &&
                           renaming_image(renaming, one->from) == other->from));
}

/* SOUND: what is watched for the one must be watched for the other, or an access is believed that would be in vain;
 * unless nobody else touches it. */
bool joins_fixed(const struct renaming *renaming)
{
    if (renaming_of_set(renaming, threads_ahead) != threads_ahead)
        return false;
    for (thread_set left = threads_ahead; left; left &= left - 1) {
        int t = __builtin_ctzl(left);
        if (!is_next_fixed(t, renaming))
            return false;
        for (int i = 0; i < all[t].accesses; i++) {
            const struct access *a = &all[t].access[i];
            uintptr_t there = renaming_image(renaming, a->from);
            bool whole = renaming_takes_whole(renaming, a->from, a->size);
            if (whole && there == a->from && renaming->to[t] == t)
                continue;
            if (!(whole && is_ahead_of(&all[renaming->to[t]], there, a)) &&
                !race_private(t, a->from, a->size, renaming))
                return false;
        }
    }
    return true;
}

void crashed_ahead(void)
{
    const struct ahead *ahead = &all[current->number];
    for (int i = 0; i < ahead->accesses; i++)
        learn_shared(ahead->access[i].from, ahead->access[i].size);
    if (learnt)
        abandon();
}
