/* The table of visited states.

   Reference: Cleary, "Compact hash tables using bidirectional linear probing" (1984), for quotienting; Laarman, van de
   Pol, Weber, "Boosting multi-core reachability performance with shared hash tables" (2010), for lines and
   compare-and-swap.
   Differs: probing goes line by line through a fixed sequence, and the number of the probe is the tag that makes the
   home line known; states too wide for that stay in the chunks, and the table holds where they are.

   A worked example: states of 12 bits in a table of 4 lines.  What becomes of the state 0x123:

       0x123 ^ 0x123 >> 6 = 0x127        the upper half into the lower one
       0x127 * MIX1 = ...c33             12 bits of it; MIX1 is odd
       0xc33 ^ 0xc33 >> 6 = 0xc03        and again

   Each of these can be undone, so 0xc03 stands for 0x123 and for nothing else.  Its 2 low bits are 3: line 3 is its
   home.  The slot needs only the rest, 0xc03 >> 2 = 0x300, and the tag, 1 for the first probe: 0x300 << 5 | 1 = 0x6001.
   If line 3 is full, the second probe is line 3 ^ 1 = 2, and the slot there is 0x6002.  Whoever finds 0x6002 in line 2
   knows that its home is 2 ^ 1 = 3 and the mixed state 0x300 << 2 | 3 = 0xc03 again.  So equal slots in a line are
   equal states.

   A template (codegen/templates.py), behind KEY_WORDS, KEY_BITS, STATE_WORDS and POR. */
#ifndef ISOSPIN_TABLE_H
#define ISOSPIN_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "core/engine.h"

enum { TAG_BITS = 5, MOST_PROBES = 30, PLACE_BITS = 40 }; /* no slot is all ones, so that can mean something else */
enum verdict { SEEN, NEW, FULL };

#define PID_WORDS ((SLOTS + 63) / 64) /* of a set of processes */
#define QUOTIENT_POSSIBLE (LOOKED_WORDS <= MOST_SQUEEZED)

/* What the table looks at: the key itself, or with TREE a code of 64 bits (tree.inc.h). */
#ifndef TREE
#define TREE 0
#endif
#if TREE
#define LOOKED_WORDS 1
#define LOOKED_BITS 64
#else
#define LOOKED_WORDS KEY_WORDS
#define LOOKED_BITS KEY_BITS
#endif
/* Do states that wait keep their codes, so that those of their successors cost less?  Then they stand behind the states
   of a chunk. */
#if TREE && !CLUSTER && !defined(FOLD_KEY) && KEY_WORDS <= 64
#define REUSES_CODES 1
#else
#define REUSES_CODES 0
#endif

/* Are wide successors written where they wait?  Narrow ones stay in registers until they are complete; and where some
   states are left out (search/ample.inc.h), what comes then is written there. */
#define IN_PLACE (STATE_WORDS > 4 && !POR)

typedef long long four __attribute__((vector_size(32), may_alias));

/* Lines are read four words at a time, each of them in one piece; the thread sanitizer is shown the same word by word.
 */
#if defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
#define READS_FOUR 1
#else
#define READS_FOUR 0
#endif

struct key {
    uint64_t a, b; /* quotient: the mixed state; otherwise a is a hash */
};

/* Where to look for a state first, and for what.  If `value` stands in the line of a table of quotients, it is there.
 */
struct look {
    word *line;
    word value; /* quotient: its slot in the home line; NOT_QUICK: it is unusual, or has no code yet.  Otherwise the
                   tag, without a place; in an inexact table all of the hash */
};

/* A state that is looked up when its line has arrived. */
struct pending {
    struct look look;
    uint64_t origin; /* number of the parent, and in the low half which successor it is */
    word state[IN_PLACE ? STATE_WORDS : KEY_WORDS];
#if REUSES_CODES
    word code, changed; /* the code that the table looks at; which words are not those of its parent */
#endif
#if FAIR
    word movers[PID_WORDS]; /* who took part in the step */
#ifdef MOVES_POINTS
    uint8_t images[POINTS]; /* where folding took the processes */
#endif
#endif
};

#define NOT_QUICK (~0ULL)

ALWAYS_INLINE uint64_t fold(uint64_t x, uint64_t y)
{
    unsigned __int128 p = (unsigned __int128)x * y;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

ALWAYS_INLINE uint64_t wide_hash(const word *s)
{
    uint64_t h = MIX1;
    for (int i = 0; i + 1 < KEY_WORDS; i += 2) {
        h = fold(s[i] ^ MIX2, s[i + 1] ^ h);
    }
    if (KEY_WORDS & 1) {
        h = fold(s[KEY_WORDS - 1] ^ MIX3, h);
    }
    h = fold(h ^ MIX3, MIX1);
#ifdef ISOSPIN_EQUAL_TAGS
    h = h << (64 - PLACE_BITS) >> (64 - PLACE_BITS); /* for a test: no tag tells states apart, or from an empty slot */
#endif
    return h;
}

/* The bits of x at the ones of the mask, moved together. */
ALWAYS_INLINE word extract(word x, word mask)
{
#ifdef __BMI2__
    return __builtin_ia32_pext_di(x, mask);
#else
    word result = 0;
    for (unsigned at = 0; mask;) {
        unsigned skip = (unsigned)__builtin_ctzll(mask);
        word rest = mask >> skip;
        unsigned run = ~rest ? (unsigned)__builtin_ctzll(~rest) : 64;
        result |= (x >> skip & (~0ULL >> (64 - run))) << at;
        at += run;
        mask = skip + run < 64 ? mask >> (skip + run) << (skip + run) : 0;
    }
    return result;
#endif
}

/* Does the state need the side table? */
ALWAYS_INLINE bool unusual(const struct table *t, const word *s)
{
    word difference = 0;
    for (int i = 0; i < LOOKED_WORDS && i < MOST_SQUEEZED; i++) {
        difference |= (s[i] ^ t->squeeze.pattern[i]) & ~t->squeeze.keep[i];
    }
    return difference != 0;
}

/* SOUND: a bijection on the bits that are kept, so that equal keys mean equal states. */
ALWAYS_INLINE struct key mix(const struct table *t, const word *s)
{
    const struct squeeze *q = &t->squeeze;
    uint64_t a = extract(s[0], q->keep[0]), b = 0;
#if LOOKED_WORDS > 1
    unsigned at = q->first_bits;
    word x = extract(s[1], q->keep[1]);
    x = x << (at & 63) | x >> (-at & 63);
    a |= x & q->seam;
    b = x & ~q->seam;
    at += (unsigned)(LOOKED_WORDS > 2 ? __builtin_popcountll(q->keep[1]) : 0);
    for (int i = 2; i < LOOKED_WORDS && i < MOST_SQUEEZED; i++) {
        x = extract(s[i], q->keep[i]);
        a |= at < 64 ? x << at : 0;
        b |= at == 0 ? 0 : at < 64 ? x >> (64 - at) : x << (at - 64);
        at += (unsigned)__builtin_popcountll(q->keep[i]);
    }
#endif
    a ^= a >> q->half;
    if (LOOKED_BITS > 64) { /* shifted twice, for there may be no high bits */
        b ^= a * MIX3 >> 1 >> (63 - q->high_bits);
        a ^= b * MIX2 & q->low_mask;
    }
    a = a * MIX1 & q->low_mask;
    a ^= a >> q->half;
    return (struct key){a, b};
}

ALWAYS_INLINE struct key key_of(const struct table *t, const word *s)
{
#ifdef ISOSPIN_FAULT_TABLE
    word forgetful[LOOKED_WORDS]; /* for the test that proves that the tests would notice */
    memcpy(forgetful, s, sizeof forgetful);
    forgetful[0] &= ~0xFFFFULL;
    s = forgetful;
#endif
#if QUOTIENT_POSSIBLE
    if (t->quotient) {
        return mix(t, s);
    }
#endif
#if TREE
    return (struct key){0, 0}; /* it always holds quotients */
#else
    return (struct key){wide_hash(s), 0};
#endif
}

ALWAYS_INLINE word rest_of(const struct table *t, struct key k)
{
    word rest = k.a >> t->line_bits;
    if (LOOKED_BITS > 64) {
        rest |= k.b << (64 - t->line_bits);
    }
    return rest;
}

/* What is looked up in place of a state: for most searches the state itself. */
#ifdef FOLD_KEY
#define KEY_OF(s) key_in((word[KEY_WORDS]){0}, s)
ALWAYS_INLINE const word *key_in(word *key, const word *s)
{
    key_state(s, key);
    return key;
}
#else
#define KEY_OF(s) (s)
#endif

#if TREE
#include "table/tree.inc.h"
#endif

/* By a key, or by its code. */
ALWAYS_INLINE struct look look_by(const struct table *t, const word *s)
{
#if TREE
    if (UNLIKELY(coding.crowded)) {
        return (struct look){t->slots, NOT_QUICK};
    }
#endif
    const struct key k = key_of(t, s);
    word value = k.a >> PLACE_BITS << PLACE_BITS;
    if (UNLIKELY(shared.inexact)) {
        static word nothing[LINE] __attribute__((aligned(64)));
        return (struct look){nothing, k.a};
    }
    if (QUOTIENT_POSSIBLE && t->quotient) {
        value = unusual(t, s) ? NOT_QUICK : rest_of(t, k) << TAG_BITS | 1;
    }
    return (struct look){t->slots + (k.a & t->mask) * LINE, value};
}

ALWAYS_INLINE struct look look_in(const struct table *t, const word *state)
{
#if TREE
    const word code = code_of(KEY_OF(state));
    return look_by(t, &code);
#else
    return look_by(t, KEY_OF(state));
#endif
}

ALWAYS_INLINE struct look look_for(const word *s) { return look_in(&shared.table, s); }

ALWAYS_INLINE uint64_t home_of(const struct table *t, struct look l) { return (uint64_t)(l.line - t->slots) / LINE; }

/* Is the value in the line?  Without branches: where it is matters to nobody. */
ALWAYS_INLINE bool in_line(const word *line, word value)
{
#if READS_FOUR
    const four *l = (const four *)line,
               wanted = {(long long)value, (long long)value, (long long)value, (long long)value};
    four found = (l[0] == wanted) | (l[1] == wanted);
    return !__builtin_ia32_ptestz256(found, found);
#else
    bool found = false;
    for (int i = 0; i < LINE; i++) {
        found |= __atomic_load_n(line + i, __ATOMIC_RELAXED) == value;
    }
    return found;
#endif
}

/* SOUND: lines fill from the front; another thread may fill more of it meanwhile, never less. */
ALWAYS_INLINE unsigned used_in_line(const word *line)
{
#if READS_FOUR
    typedef double four_doubles __attribute__((vector_size(32)));
    const four *l = (const four *)line, none = {0, 0, 0, 0};
    unsigned low = (unsigned)__builtin_ia32_movmskpd256((four_doubles)(l[0] == none));
    unsigned high = (unsigned)__builtin_ia32_movmskpd256((four_doubles)(l[1] == none));
    return (unsigned)__builtin_ctz(low | high << 4 | 1U << LINE);
#else
    unsigned used = 0;
    while (used < LINE && __atomic_load_n(line + used, __ATOMIC_RELAXED) != 0) {
        used++;
    }
    return used;
#endif
}

/* Other threads may fill the slot first, perhaps with the same state. */
static COLD enum verdict claim(word *line, unsigned i, word value)
{
    for (; i < LINE; i++) {
        word seen = 0;
        if (__atomic_compare_exchange_n(line + i, &seen, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return NEW;
        }
        if (seen == value) {
            return SEEN;
        }
    }
    return FULL;
}

/* SOUND: lines fill from the front and nothing is removed, so a state is before the first empty slot or nowhere. */
ALWAYS_INLINE enum verdict insert_quotient(const struct table *t, struct look l)
{
    const uint64_t home = home_of(t, l);
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        word *line = t->slots + line_of(t, home, probe) * LINE, value = l.value + probe;
        if (in_line(line, value)) {
            return SEEN;
        }
        unsigned used = used_in_line(line);
        if (t->shared) {
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (in_line(line, value)) { /* SOUND: another thread may have put it into a slot that counts as used */
                return SEEN;
            }
        }
        if (used < LINE) {
            if (!t->shared) {
                line[used] = value;
                return NEW;
            }
            enum verdict v = claim(line, used, value);
            if (v != FULL) {
                return v;
            }
        }
    }
    return FULL;
}

ALWAYS_INLINE const word *stored(word entry)
{
    uint64_t place = (entry & ((1ULL << PLACE_BITS) - 1)) - 1;
    return shared.chunks[place / CHUNK]->states + place % CHUNK * KEY_WORDS;
}

ALWAYS_INLINE bool same(const word *a, const word *b)
{
    word difference = 0;
    for (int i = 0; i < KEY_WORDS; i++) {
        difference |= a[i] ^ b[i];
    }
#ifdef ISOSPIN_FAULT_TABLE
    difference &= ~0xFFFFULL;
#endif
    return difference == 0;
}

/* `place` is where the state is in the chunks; it stays there only if the verdict is NEW. */
ALWAYS_INLINE enum verdict insert_place(const struct table *t, struct look l, const word *s, uint64_t place)
{
    const word tag = l.value;
    const uint64_t home = home_of(t, l);
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        word *line = t->slots + line_of(t, home, probe) * LINE;
        for (int i = 0; i < LINE; i++) {
            word seen = __atomic_load_n(line + i, __ATOMIC_ACQUIRE);
            if (seen == 0) {
                if (!t->shared) {
                    line[i] = tag | (place + 1);
                    return NEW;
                }
                if (__atomic_compare_exchange_n(line + i, &seen, tag | (place + 1), false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE)) {
                    return NEW;
                }
            }
            if (seen >> PLACE_BITS << PLACE_BITS == tag && same(KEY_OF(stored(seen)), KEY_OF(s))) {
                return SEEN;
            }
        }
    }
    return FULL;
}

/* Is the state there?  Another thread may be about to insert it. */
ALWAYS_INLINE bool has_quotient(const struct table *t, struct look l)
{
    const uint64_t home = home_of(t, l);
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        const word *line = t->slots + line_of(t, home, probe) * LINE;
        if (in_line(line, l.value + probe)) {
            return true;
        }
        if (used_in_line(line) < LINE) {
            return false;
        }
    }
    return false;
}

ALWAYS_INLINE bool has_place(const struct table *t, struct look l, const word *s)
{
    const uint64_t home = home_of(t, l);
    for (unsigned i = 0; i < MOST_PROBES * LINE; i++) {
        const word seen = __atomic_load_n(t->slots + line_of(t, home, i / LINE) * LINE + i % LINE, __ATOMIC_ACQUIRE);
        if (seen == 0) {
            return false;
        }
        if (seen >> PLACE_BITS << PLACE_BITS == l.value && same(KEY_OF(stored(seen)), KEY_OF(s))) {
            return true;
        }
    }
    return false;
}

/* Once the line is in the cache: fetch the state that it probably names. */
ALWAYS_INLINE void prefetch_stored(const word *line, word tag)
{
    for (int i = 0; i < LINE; i++) {
        word seen = __atomic_load_n(line + i, __ATOMIC_ACQUIRE);
        if (seen != 0 && seen >> PLACE_BITS == tag) {
            __builtin_prefetch(stored(seen), 0, 3);
            return;
        }
    }
}

#endif
