/* The calls that the compiler puts before each access of memory (-fsanitize=thread). */
#include "runtime.h"

#include "await/private.h"
#include "explore/commute.h"
#include "foresee/seen/spots.h"
#include "graphs/history.h"
#include "race/visits.h"
#include "symmetry/bystander.h"

#include <string.h>

extern unsigned long long callbacks, suspicious; /* fault.c */

static void long_step(const void *pc)
{
    if (callbacks == suspicious)
        spin_expose();
    suspicious = program_options.callbacks;
    if (callbacks >= program_options.callbacks)
        fail("divergence", pc, "thread %d made %llu accesses without any visible operation: an endless loop?",
             current->number, callbacks);
}

static const char *how_text(int how)
{
    static const char *const texts[] = {"read", "write", "atomic read", "atomic write"};
    return texts[how & 3];
}

/* SOUND: from the next execution on these bytes are visible, so that every order of accesses to them is explored. */
static void raced(const struct race *race, const void *pc)
{
    if ((race->how | race->other_how) & RACE_HELD) {
        await_raced(race);
        abandon();
    }
    if (forgot_order) {
        keep_order();
        abandon();
    }
    learn_visible(race->from, race->size);
    found.other = race->other;
    found.other_pc = race->other_pc;
    found.address = race->from;
    if (!program_options.note_races)
        fail("race", pc, "%s by thread %d and %s by thread %d of the same memory are not ordered", how_text(race->how),
             current->number, how_text(race->other_how), race->other);
    found.kind = "race";
    found.thread = current->number;
    found.pc = pc;
    note_race(&found);
}

void check_race(uintptr_t from, size_t size, int how, const void *pc)
{
    struct race race;
    if (__builtin_expect(spots_watched, 0) && how & RACE_WRITE)
        spots_store(current->number, from, size);
    if (__builtin_expect(race_access(current->number, from, size, how, pc, &race), 0))
        raced(&race, pc);
}

static inline void see_before(uintptr_t from, size_t size)
{
    seen_before = 0;
    memcpy(&seen_before, history_decides() ? (const void *)&cell_seen : (const void *)from, size < 8 ? size : 8);
}

static void look_at_constant(uintptr_t from, size_t size)
{
    spin_look(from, size);
    private_read(from, size);
}

static inline void looked(uintptr_t from, size_t size, bool writes, bool visible)
{
    /* SOUND: what nobody writes cannot change what a loop waits for. */
    bool constant = memory_model && !writes && !visible && race_unwritten(current->number, from, size);
    if (writes)
        spin_effect();
    else if (constant)
        look_at_constant(from, size);
    else
        spin_read(from, size, visible ? MEMORY : SPIN_PLAIN);
}

static void access_as(uintptr_t from, size_t size, int how, void **entry)
{
    bool writes = how & RACE_WRITE;
    if (!running || !size)
        return;
    visit(from);
    if (++callbacks >= suspicious)
        long_step(entry[1]);
    if (__builtin_expect(threads_ahead != 0, 0)) {
        if (current->joining && may_go_ahead(from, size, writes, entry[1])) {
            stand_by(from, size, writes);
            if (!writes)
                read_by(from, size);
            if (memory_model && !writes)
                history_look(from, size);
            return;
        }
        if (current->joining)
            join_before(from, size, writes, entry);
        watch_ahead(from, size, writes);
    }
    stand_by(from, size, writes);
    check_alive(from, size, writes, entry[1]);
    bool visible = known_visible(from, size);
    if (memory_model)
        (writes ? history_renew : history_look)(from, size);
    if (visible) {
        history_describe(PLAIN, 0, 0, 0, 0);
        touch(pend(writes ? OP_WRITE : OP_READ, entry), MEMORY, from, (uint32_t)size, writes, false);
        if (writes)
            perform();
        else
            perform_reading(entry);
        entry = current->entry;
        check_alive(from, size, writes, entry[1]);
        see_before(from, size);
        spin_how(RACE_READ);
    }
    if (!in_stack(from, current->number) || visible)
        looked(from, size, writes, visible);
    if (!(how & RACE_STORE))
        read_by(from, size);
    check_race(from, size, how, entry[1]);
}

/* SOUND: libraries may read what they write. */
void access_memory(uintptr_t from, size_t size, bool writes, void **entry)
{
    access_as(from, size, writes ? RACE_WRITE : RACE_READ, entry);
}

static void read_memory(void *address, size_t size, void **entry)
{
    access_as((uintptr_t)address, size, RACE_READ, entry);
}

void write_memory(void *address, size_t size, void **entry)
{
    access_as((uintptr_t)address, size, RACE_WRITE | RACE_STORE, entry);
}

static void access(uintptr_t from, size_t size, enum operation_kind kind, enum commuting commutes, void **entry)
{
    bool writes = kind != OP_READ;
    if (running)
        visit(from);
    current->touches = from; /* joins may have to be done first, and then its operation is another one */
    check_alive(from, size, writes, entry[1]);
    stand_by(from, size, writes);
    if (memory_model && running)
        history_meet(from, size);
    if (current->joining && running)
        join_before(from, size, writes, entry);
    touch(pend(kind, entry), MEMORY, from, (uint32_t)size, writes, false);
    current->operation.span[0].commutes = (uint8_t)commutes;
    if (kind == OP_WRITE)
        perform();
    else
        perform_reading(entry);
    entry = current->entry;
    if (!running)
        return;
    check_alive(from, size, writes, entry[1]);
    if (memory_model)
        history_enter(from, size);
    see_before(from, size);
    if (kind != OP_WRITE) { /* an update: until it turns out to change something */
        spin_read(from, size, MEMORY);
        read_by(from, size);
    }
    watch_ahead(from, size, writes);
}

void access_atomic(uintptr_t from, size_t size, enum operation_kind kind, void **entry)
{
    access(from, size, kind, COMMUTES_NEVER, entry);
}

void access_commuting(uintptr_t from, size_t size, enum commuting how, void **entry)
{
    access(from, size, OP_UPDATE, how, entry);
}

#define ACCESS(name, size, how) \
    EXPORT void __tsan_##name(void *address) { how##_memory(address, size, HERE); }
#define SIZES(_) _(1) _(2) _(4) _(8) _(16)
/* clang-format off */ /* macros one behind the other */
#define EACH(n) \
    ACCESS(read##n, n, read) ACCESS(write##n, n, write) \
    ACCESS(unaligned_read##n, n, read) ACCESS(unaligned_write##n, n, write) \
    ACCESS(volatile_read##n, n, read) ACCESS(volatile_write##n, n, write) \
    ACCESS(unaligned_volatile_read##n, n, read) ACCESS(unaligned_volatile_write##n, n, write)
SIZES(EACH)
/* clang-format on */

/* A compound access of clang: both, in this order. */
#define BOTH(name, size) \
    EXPORT void __tsan_##name(void *address) \
    { \
        read_memory(address, size, HERE); \
        write_memory(address, size, HERE); \
    }
#define EACH_BOTH(n) BOTH(read_write##n, n) BOTH(unaligned_read_write##n, n)
SIZES(EACH_BOTH)

EXPORT void __tsan_read_range(void *address, size_t size) { read_memory(address, size, HERE); }

EXPORT void __tsan_write_range(void *address, size_t size) { write_memory(address, size, HERE); }

EXPORT void __tsan_vptr_read(void **address) { access_memory((uintptr_t)address, sizeof *address, false, HERE); }

EXPORT void __tsan_vptr_update(void **address, void *value)
{
    if (*address != value) /* a destructor sets what is there already */
        access_memory((uintptr_t)address, sizeof *address, true, HERE);
}

EXPORT void __tsan_func_entry(void *pc)
{
    (void)pc;
    void **here = HERE;
    if (!running)
        return;
    current->frame = here[0];
    if ((uintptr_t)here < current->stack_low)
        current->stack_low = (uintptr_t)here;
}

EXPORT void __tsan_func_exit(void)
{
    void **here = HERE;
    if (!running)
        return;
    if (current->joining)
        leave_function(here[0], here);
    current->frame = *(void **)here[0];
}

EXPORT void __tsan_init(void) {}
EXPORT void __tsan_ignore_thread_begin(void) {}
EXPORT void __tsan_ignore_thread_end(void) {}
