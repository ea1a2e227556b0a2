/* What never races, in no execution: bytes that only some threads access, or only under the same lock.
 *
 * Races are a property of the history: two threads in the same state may still differ in what they know of earlier
 * accesses.  So a renaming must fix that, too.  Most bytes need not be compared, since those who access them know
 * enough, or have a lock; that is assumed from what was seen, and if it turns out to be wrong later, the search starts
 * again.
 *
 * Reference: Savage, Burrows, Nelson, Sobalvarro, Anderson, TOCS 1997 (Eraser: the locks that were always held).
 * Differs: locks prove nothing to the user here; they only say what need not be compared, and every execution checks
 * them.
 */
#include "race/race.h"

#include "explore/arena.h"
#include "symmetry/renaming.h"
#include "symmetry/scene.h"
#include "race/shadow.h"

#include <string.h>

enum { MOST_RENAMINGS = 512, GUARDED_BYTES = (1 << GUARDED) - 1 };

/* ---------------------------------------------------------------- locks */

void race_locked(int thread, uintptr_t lock)
{
    if (races->held_count[thread] < MOST_HELD) /* one that is not known guards nothing */
        races->held[thread][races->held_count[thread]++] = seat_of(lock);
}

void race_unlocked(int thread, uintptr_t lock)
{
    uintptr_t *held = races->held[thread];
    for (int i = 0; i < races->held_count[thread]; i++)
        if (held[i] == seat_of(lock)) {
            held[i] = held[--races->held_count[thread]];
            return;
        }
}

static bool holds(int thread, uintptr_t lock)
{
    for (int i = 0; i < races->held_count[thread]; i++)
        if (races->held[thread][i] == lock)
            return true;
    return false;
}

static bool knows_end_of(int thread, uint64_t joined, int t)
{
    bool known = races->clock[thread][t] >= races->clock[t][t];
    for (uint64_t left = joined; left && !known; left &= left - 1)
        known = races->clock[__builtin_ctzl(left)][t] >= races->clock[t][t];
    return known && !program_pending(t);
}

bool race_alone_behind(int thread, uint64_t joined)
{
    for (int t = 0; t < races->threads; t++)
        if (t != thread && races->clock[t][t] && !knows_end_of(thread, joined, t))
            return false;
    return true;
}

bool race_alone(int thread) { return race_alone_behind(thread, 0); }

/* ---------------------------------------------------------------- who accesses what, under which locks */

static bool drop_locks(struct guard *guard, const uintptr_t lock[2])
{
    bool changes = !guard->accessed;
    for (int i = 0; i < 2; i++)
        if (!guard->accessed) {
            guard->lock[i] = lock[i];
        } else if (guard->lock[i] && guard->lock[i] != lock[0] && guard->lock[i] != lock[1]) {
            guard->lock[i] = 0;
            changes = true;
        }
    guard->accessed = true;
    return changes;
}

/* More users, fewer locks.  SOUND: whoever counted on them has to think again. */
static bool widen(struct guard *guard, const struct guard *more)
{
    bool use = more->users & ~guard->users, write = more->writers & ~guard->writers;
    bool fewer = more->accessed && drop_locks(guard, more->lock);
    guard->users |= more->users;
    guard->writers |= more->writers;
    races->learnt |= (use && guard->users_count) || (write && guard->writers_count) || (fewer && guard->locks_count);
    races->changes += use || write || fewer;
    return use || write || fewer;
}

/* SOUND: executions that are left out are images of others under the renamings that were found good, and of images.  So
 * what holds for the bytes at an address in all executions must hold for its images, too. */
static void spread(uintptr_t address);

static void spread_by(const struct renaming *renaming, uintptr_t address)
{
    const struct guard *guard = shadow_guard(address);
    struct guard image = {.users = renaming_of_set(renaming, guard->users),
                          .writers = renaming_of_set(renaming, guard->writers),
                          .accessed = guard->accessed};
    struct leaving left = *shadow_leaving(address);
    left.handed = renaming_of_set(renaming, left.handed);
    uintptr_t last = 0;
    for (int i = 0; i < 2; i++)
        image.lock[i] = guard->lock[i] ? renaming_seat(renaming, guard->lock[i]) : 0;
    bool cells = address < renaming->high && address + GUARDED > renaming->low; /* perhaps more than one in them */
    for (uintptr_t byte = address; byte < address + GUARDED; byte += cells ? 1 : GUARDED) {
        uintptr_t there = renaming_seat(renaming, byte) & ~(uintptr_t)(GUARDED - 1);
        if (there != last && (widen(shadow_guard(there), &image) | leaving_widen(shadow_leaving(there), &left)))
            spread(there);
        last = there;
    }
}

static void spread(uintptr_t address)
{
    for (unsigned i = 0; i < races->renaming_count; i++)
        spread_by(races->renamings[i], address);
}

void guard_widen(uintptr_t address, const struct leaving *more)
{
    if (leaving_widen(shadow_leaving(address), more))
        spread(address & ~(uintptr_t)(GUARDED - 1));
}

static void access_guarded(struct guard *guard, uintptr_t address, int thread, bool writes)
{
    thread_set who = (thread_set)1 << thread;
    bool changes = !((writes ? guard->writers : guard->users) & who) || !guard->accessed;
    for (int i = 0; i < 2; i++)
        changes |= guard->lock[i] && !holds(thread, guard->lock[i]);
    if (!changes || race_alone(thread))
        return;
    struct guard more = {.users = who, .writers = writes ? who : 0, .accessed = true};
    for (int i = 0; i < 2; i++)
        if (guard->accessed)
            more.lock[i] = guard->lock[i] && holds(thread, guard->lock[i]) ? guard->lock[i] : 0;
        else
            more.lock[i] = i < races->held_count[thread] ? races->held[thread][i] : 0;
    if (widen(guard, &more))
        spread(address);
}

void guard_access(struct page *page, uintptr_t base, const struct access *access)
{
    uint8_t mask = access->mask;
    for (uintptr_t at = base; at < base + 8; at += GUARDED, mask >>= GUARDED)
        if (mask & GUARDED_BYTES) {
            uintptr_t seat = seat_of(at);
            struct page *named = seat == at ? page : shadow_named_page(seat);
            access_guarded(&named->guards[shadow_guarded(seat)], seat, access->thread, access->how & RACE_WRITE);
            leaving_access(&named->leavings[shadow_guarded(seat)], &page->granules[shadow_place(at)], seat,
                           (uint8_t)(GUARDED_BYTES << at % 8), access);
        }
}

static void spread_all(void)
{
    unsigned slots;
    do { /* new pages may make the table larger */
        slots = races->page_slots;
        for (unsigned i = 0; i < races->page_slots; i++)
            for (unsigned g = 0; g < GUARDS && races->pages[i]; g++)
                if (races->pages[i]->guards[g].accessed || races->pages[i]->leavings[g].handed ||
                    races->pages[i]->leavings[g].reread)
                    spread((races->pages[i]->number << PAGE_BITS) + GUARDED * g);
    } while (slots != races->page_slots);
}

/* A renaming by which something will be left out; false: there are too many. */
static bool keep(const struct renaming *renaming)
{
    for (unsigned i = 0; i < races->renaming_count; i++)
        if (renaming_equal(races->renamings[i], renaming))
            return true;
    if (races->renaming_count == MOST_RENAMINGS)
        return false;
    GROW(races->renamings, races->renaming_room, races->renaming_count + 1);
    struct renaming *kept = arena_take(sizeof *kept);
    *kept = *renaming;
    races->renamings[races->renaming_count++] = kept;
    races->changes++;
    spread_all();
    return true;
}

static bool exchanges(const struct renaming *renaming, int a, int b)
{
    for (int t = 0; t < MOST_THREADS; t++)
        if (renaming->to[t] != (t == a ? b : t == b ? a : t))
            return false;
    return true;
}

const struct renaming *race_exchange(int a, int b)
{
    const struct renaming *found = NULL;
    for (unsigned i = 0; i < races->renaming_count; i++) {
        const struct renaming *each = races->renamings[i];
        if (each->to[a] == b && each->count > (found ? found->count : 0) && exchanges(each, a, b))
            found = each;
    }
    return found;
}

bool race_learnt(void)
{
    bool learnt = races->learnt;
    races->learnt = false;
    return learnt;
}

uint64_t race_knowledge(void) { return races ? races->changes : 0; }

/* ---------------------------------------------------------------- symmetry */

/* A renaming, and what of locks it moves. */
struct moves {
    const struct renaming *renaming, *inverse;
    uint8_t same[MOST_THREADS]; /* the renaming of threads that moves nothing */
    const struct object *moved[64];
    unsigned count;
    bool in_order;  /* accesses were made in the order of one execution */
    bool same_code; /* threads and their images stand at the same places */
};

/* The bytes of an access, and where they are afterwards. */
struct bytes {
    uintptr_t from, there;
    unsigned size;
    bool together; /* their images lie side by side as they do */
};

static struct bytes bytes_of(const struct access *access, uintptr_t base, const struct renaming *renaming)
{
    unsigned first = (unsigned)__builtin_ctz(access->mask), size = 32 - (unsigned)__builtin_clz(access->mask) - first;
    uintptr_t from = base + first, there = renaming_image(renaming, from);
    bool together = renaming_image(renaming, from + size - 1) == there + size - 1 && there % 8 + size <= 8;
    return (struct bytes){from, there, size, together};
}

static bool knows(const uint32_t *clock, const struct access *access) { return access->clock <= clock[access->thread]; }

static uint32_t clocks[MOST_THREADS][MOST_THREADS]; /* what threads will know before they access anything */

/* The lock that a thread takes before it does anything else, or 0; who waits at a condition takes its mutex. */
static uintptr_t lock_first(const struct operation *pending)
{
    if (!pending)
        return 0;
    if (pending->kind == OP_LOCK && pending->spans == 1)
        return pending->span[0].from;
    bool wakes = pending->kind == OP_WAKE || pending->kind == OP_TIMED_WAKE;
    return wakes && pending->spans == 2 ? pending->span[1].from : 0;
}

/* SOUND: then it knows what those knew who gave the lock back before. */
static void know_more(uint32_t *clock, const struct operation *pending)
{
    uintptr_t first = lock_first(pending);
    if (!first)
        return;
    const uint32_t *lock = shadow_object(first)->clock;
    for (int t = 0; t < races->threads; t++)
        if (lock[t] > clock[t])
            clock[t] = lock[t];
}

static void find_clocks(void)
{
    for (int t = 0; t < races->threads; t++) {
        memcpy(clocks[t], races->clock[t], sizeof clocks[t]);
        know_more(clocks[t], program_pending(t));
    }
}

static bool all_know(const struct access *access)
{
    for (int t = 0; t < races->threads; t++)
        if (t != access->thread && !knows(clocks[t], access) && program_pending(t))
            return false;
    return true;
}

/* Do all of these threads know the access, or can they make no other one?  A thread that is not born yet may know
 * nothing. */
static bool users_know(thread_set users, const uint8_t to[MOST_THREADS], const struct access *access)
{
    for (; users; users &= users - 1) {
        int t = to[__builtin_ctzl(users)];
        if (t == access->thread)
            continue;
        bool born = t < races->threads && races->clock[t][t];
        if (!born || (program_pending(t) && !knows(clocks[t], access)))
            return false;
    }
    return true;
}

/* Whoever accesses these bytes knows the access, and whoever accesses the bytes whose image they are, his image knows
 * it; of a reading one only those count who write.  SOUND: then it races with nothing, neither in the executions that
 * are explored, nor in those that are left out, their images; guard_access sees if there are others. */
static bool has_users(uintptr_t byte, const struct access *access, const struct moves *moves)
{
    uintptr_t seat = seat_of(byte);
    struct guard *guard = shadow_guard(seat), *origin = shadow_guard(renaming_seat(moves->inverse, seat));
    bool writes = access->how & RACE_WRITE;
    if (!origin->users) { /* most likely */
        origin->users = renaming_of_set(moves->inverse, guard->users);
        origin->writers = renaming_of_set(moves->inverse, guard->writers);
    }
    if (!users_know(writes ? guard->users : guard->writers, moves->same, access) ||
        !users_know(writes ? origin->users : origin->writers, moves->renaming->to, access))
        return false;
    if (writes) {
        count_on(&guard->users_count);
        count_on(&origin->users_count);
    }
    count_on(&guard->writers_count);
    return count_on(&origin->writers_count);
}

/* SOUND: every access to it in every execution that was explored holds the lock, and every access to its image the
 * image of the lock; those that are left out are images of them. */
static bool has_lock(uintptr_t byte, const struct renaming *renaming)
{
    uintptr_t seat = seat_of(byte);
    struct guard *guard = shadow_guard(seat), *image = shadow_guard(renaming_seat(renaming, seat));
    for (int i = 0; i < 2; i++) {
        uintptr_t lock = guard->lock[i] ? renaming_seat(renaming, guard->lock[i]) : 0;
        if (lock && (image->lock[0] == lock || image->lock[1] == lock))
            return count_on(&guard->locks_count) && count_on(&image->locks_count);
    }
    return false;
}

/* SOUND: all bytes of the access, each with its own guard. */
static bool is_guarded(const struct bytes *bytes, const struct access *access, const struct moves *moves)
{
    uintptr_t end = bytes->from + bytes->size;
    bool fixed = bytes->from == bytes->there && renaming_image(moves->inverse, bytes->from) == bytes->from;
    for (uintptr_t byte = bytes->from; byte < end; byte += fixed ? GUARDED - byte % GUARDED : 1)
        if (!has_lock(byte, moves->renaming) && !has_users(byte, access, moves))
            return false;
    return true;
}

static const struct access *image_of(const struct access *access, const struct bytes *bytes,
                                     const struct renaming *renaming)
{
    uintptr_t there = bytes->there;
    int thread = renaming->to[access->thread];
    if (there == bytes->from && thread == access->thread)
        return access;
    uint8_t mask = (uint8_t)(access->mask >> bytes->from % 8 << there % 8);
    struct page *page = shadow_known_page(there >> PAGE_BITS);
    if (!page || page->execution != races->execution || page->granules[shadow_place(there)].stamp != page->stamp)
        return NULL;
    for (uint32_t i = page->granules[shadow_place(there)].first; i != NONE; i = races->pool[i].next) {
        const struct access *other = &races->pool[i];
        if (other->thread == thread && other->mask == mask && other->how == access->how)
            return other;
    }
    return NULL;
}

static const struct object *image_of_object(const struct object *object, const struct renaming *renaming)
{
    uintptr_t there = renaming_image(renaming, object->address);
    return there == object->address ? object : shadow_object(there);
}

/* SOUND: whoever uses it again fails. */
static bool is_gone(const struct object *object, const struct moves *moves)
{
    return moves->in_order && known_freed(object->address, 1);
}

/* Whoever knows the access, his image knows its image. */
static bool equally_known(const struct access *access, const struct access *image, const struct moves *moves)
{
    const struct renaming *renaming = moves->renaming;
    for (int t = 0; t < races->threads; t++)
        if (knows(clocks[t], access) != knows(clocks[renaming->to[t]], image) && program_pending(t))
            return false;
    if (access == image) {
        for (unsigned i = 0; i < moves->count; i++)
            if (knows(moves->moved[i]->clock, access) !=
                knows(image_of_object(moves->moved[i], renaming)->clock, access))
                return false;
        return true;
    }
    for (unsigned i = 0; i < races->used_count; i++)
        if (!is_gone(races->used[i], moves) &&
            knows(races->used[i]->clock, access) != knows(image_of_object(races->used[i], renaming)->clock, image))
            return false;
    return true;
}

static bool stays(const struct moves *moves, uintptr_t byte)
{
    return renaming_image(moves->renaming, byte) == byte && renaming_image(moves->inverse, byte) == byte;
}

/* SOUND: then nobody accesses them after this state, neither in E nor in its image, unless alone. */
static bool is_left(const struct bytes *bytes, const struct access *access, const struct moves *moves)
{
    for (uintptr_t byte = bytes->from; byte < bytes->from + bytes->size; byte++)
        if (!moves->in_order || !moves->same_code || !stays(moves, byte) ||
            !leaving_is_left(seat_of(byte), access->thread))
            return false;
    return true;
}

static bool access_fixed(const struct access *access, uintptr_t base, const struct moves *moves)
{
    if (all_know(access))
        return true;
    struct bytes bytes = bytes_of(access, base, moves->renaming);
    /* SOUND: whoever accesses them fails, whatever was before. */
    if (moves->in_order && known_freed(bytes.from, bytes.size))
        return true;
    bool visible = known_visible(bytes.from, bytes.size);
    /* SOUND: where both are visible, their order is the affair of the exploration. */
    if (!bytes.together || (bytes.from != bytes.there && known_visible(bytes.there, bytes.size) != visible))
        return false;
    if (visible && !races->weak)
        return races->visible_counts = true;
    if (is_guarded(&bytes, access, moves))
        return true;
    /* SOUND: only main touches it any more, and knows all that the others did. */
    if (scene_out_of_reach(bytes.from) && scene_out_of_reach(bytes.there))
        return true;
    if (is_left(&bytes, access, moves))
        return true;
    const struct access *image = image_of(access, &bytes, moves->renaming);
    return image && equally_known(access, image, moves);
}

bool race_private(int thread, uintptr_t from, size_t size, const struct renaming *renaming)
{
    struct renaming inverse;
    thread_set others = ~((thread_set)1 << thread);
    renaming_inverse(renaming, &inverse);
    for (uintptr_t byte = from; byte < from + size; byte++) {
        uintptr_t seat = seat_of(byte);
        struct guard *guard = shadow_guard(seat), *origin = shadow_guard(renaming_seat(&inverse, seat));
        if ((guard->users | renaming_of_set(renaming, origin->users)) & others)
            return false;
        count_on(&guard->users_count);
        count_on(&origin->users_count);
    }
    return true;
}

bool race_unwritten(int thread, uintptr_t from, size_t size)
{
    for (uintptr_t byte = from & ~(uintptr_t)(GUARDED - 1); byte < from + size; byte += GUARDED) {
        struct guard *guard = shadow_guard(seat_of(byte));
        if (guard->writers & ~((thread_set)1 << thread))
            return false;
        count_on(&guard->writers_count);
    }
    return true;
}

static bool page_fixed(struct page *page, const struct moves *moves)
{
    for (unsigned i = shadow_next(page, 0); i < GRANULES; i = shadow_next(page, i + 1)) {
        uintptr_t base = (page->number << PAGE_BITS) + 8 * i;
        for (uint32_t at = page->granules[i].first; at != NONE; at = races->pool[at].next)
            if (!access_fixed(&races->pool[at], base, moves)) {
                race_blamed = base + (uintptr_t)__builtin_ctz(races->pool[at].mask);
                return false;
            }
    }
    return true;
}

/* SOUND: after this state others may go on with what a thread began, in executions that are left out. */
static void tell_leaving(const struct page *page, const struct moves *moves)
{
    for (unsigned i = shadow_next(page, 0); i < GRANULES; i = shadow_next(page, i + 1)) {
        uintptr_t base = (page->number << PAGE_BITS) + 8 * i;
        for (uint32_t at = page->granules[i].first; at != NONE; at = races->pool[at].next)
            for (unsigned b = 0; b < 8; b++)
                if (races->pool[at].mask >> b & 1) {
                    int thread = races->pool[at].thread;
                    leaving_renamed(seat_of(base + b), thread, !stays(moves, base + b),
                                    moves->renaming->to[thread] != thread);
                    if (moves->renaming->to[thread] != thread)
                        unread_renamed(base + b, &races->pool[at]);
                }
    }
}

static bool find_moved(struct moves *moves)
{
    for (unsigned i = 0; i < races->used_count; i++) {
        uintptr_t there = renaming_image(moves->renaming, races->used[i]->address);
        if (there == races->used[i]->address || is_gone(races->used[i], moves))
            continue;
        if (moves->count == 64)
            return false;
        shadow_object(there); /* so that it is among the used ones */
        moves->moved[moves->count++] = races->used[i];
    }
    return true;
}

uintptr_t race_blamed;

bool race_alike(const struct renaming *renaming, bool all_know, bool same_code)
{
    race_blamed = 0;
    struct renaming inverse;
    struct moves moves = {.renaming = renaming, .inverse = &inverse, .in_order = !all_know, .same_code = same_code};
    renaming_inverse(renaming, &inverse);
    for (int t = 0; t < MOST_THREADS; t++)
        moves.same[t] = (uint8_t)t;
    if ((races->fences && !all_know) || !find_moved(&moves))
        return false;
    find_clocks();
    for (unsigned i = 0; i < races->touched_count; i++)
        if (!page_fixed(races->touched[i], &moves))
            return false;
    if (!keep(renaming))
        return false;
    if (!same_code)
        leaving_give_up();
    for (unsigned i = 0; i < races->touched_count; i++)
        tell_leaving(races->touched[i], &moves);
    return true;
}
