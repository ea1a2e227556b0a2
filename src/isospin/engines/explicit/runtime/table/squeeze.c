/* Which bits of a state go into the table of quotients.

   Reference: none.
   Differs: a layout has bits that are the same in almost all states (processes that only start others, elements of
   arrays that nobody uses, large values that are rare).  Leaving them out makes room for exact 8-byte slots.  The few
   states in which such a bit differs are kept whole in a side table; when they become many, the choice is made again.
 */
#include <stdlib.h>
#include <string.h>

#include "core/engine.h"

enum { REST_BITS = 59, BITS = MOST_SQUEEZED * 64 };

static void set_bits(struct squeeze *q)
{
    q->bits = 0;
    for (unsigned i = 0; i < MOST_SQUEEZED; i++) {
        q->bits += (unsigned)__builtin_popcountll(q->keep[i]);
    }
    q->bits = q->bits ? q->bits : 1;
    q->low_bits = q->bits > 64 ? 64 : q->bits;
    q->high_bits = q->bits - q->low_bits;
    q->half = (q->low_bits + 1) / 2;
    q->first_bits = (unsigned)__builtin_popcountll(q->keep[0]);
    q->low_mask = ~0ULL >> (64 - q->low_bits);
    q->seam = q->first_bits < 64 ? ~0ULL << q->first_bits : 0;
}

/* All bits that the layout uses. */
void squeeze_all(struct squeeze *q)
{
    memset(q, 0, sizeof *q);
    unsigned bits = shared.model->key_bits;
    for (unsigned i = 0; i < MOST_SQUEEZED && bits; i++) {
        unsigned here = bits > 64 ? 64 : bits;
        q->keep[i] = ~0ULL >> (64 - here);
        bits -= here;
    }
    set_bits(q);
}

bool is_unusual(const struct squeeze *q, const word *s)
{
    word difference = 0;
    for (unsigned i = 0; i < shared.model->key_words && i < MOST_SQUEEZED; i++) {
        difference |= (s[i] ^ q->pattern[i]) & ~q->keep[i];
    }
    return difference != 0;
}

/* ------------------------------------------------------------------------------------------- choosing */

struct census {
    uint64_t ones[BITS], states, unusual;
    const struct squeeze *squeeze;
};

static bool count_ones(void *data, const word *s, uint64_t place)
{
    struct census *census = data;
    (void)place;
    census->states++;
    for (unsigned i = 0; i < shared.model->key_words; i++) {
        for (word rest = s[i]; rest; rest &= rest - 1) {
            census->ones[i * 64 + (unsigned)__builtin_ctzll(rest)]++;
        }
    }
    return true;
}

static bool count_unusual(void *data, const word *s, uint64_t place)
{
    struct census *census = data;
    (void)place;
    census->unusual += is_unusual(census->squeeze, s);
    return true;
}

static uint64_t rarity(const struct census *census, unsigned bit)
{
    uint64_t ones = census->ones[bit];
    return ones < census->states - ones ? ones : census->states - ones;
}

/* Leaves out the rarest bits, as many as must go; false if too many states would be unusual. */
bool choose_bits(struct squeeze *q, unsigned line_bits, bool (*each)(see_state, void *))
{
    static struct census census;
    squeeze_all(q);
    if (shared.model->key_words > MOST_SQUEEZED) {
        return false;
    }
    memset(&census, 0, sizeof census);
    each(count_ones, &census);
    while (q->bits > line_bits + REST_BITS) {
        unsigned rarest = BITS;
        for (unsigned bit = 0; bit < shared.model->key_words * 64; bit++) {
            bool kept = q->keep[bit / 64] >> bit % 64 & 1;
            if (kept && (rarest == BITS || rarity(&census, bit) < rarity(&census, rarest))) {
                rarest = bit;
            }
        }
        q->keep[rarest / 64] &= ~(1ULL << rarest % 64);
        q->pattern[rarest / 64] |= (word)(census.ones[rarest] > census.states / 2) << rarest % 64;
        set_bits(q);
    }
    census.squeeze = q;
    each(count_unusual, &census);
    return census.unusual * 64 <= census.states;
}

/* ------------------------------------------------------------------------------------------- back to the state */

static word deposit(word x, word mask)
{
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(x, mask);
#else
    word result = 0;
    for (; mask; mask &= mask - 1, x >>= 1) {
        result |= (x & 1) ? mask & -mask : 0;
    }
    return result;
#endif
}

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) {
        x *= 2 - odd * x;
    }
    return x;
}

/* SOUND: the inverse of `mix` in table.inc.h, step by step from its end. */
void unmix(const struct squeeze *q, uint64_t a, uint64_t b, word *s)
{
    a ^= a >> q->half;
    a = a * inverse(MIX1) & q->low_mask;
    if (q->high_bits) {
        a ^= b * MIX2;
        b ^= a * MIX3 >> (64 - q->high_bits);
    }
    a ^= a >> q->half;
    unsigned at = 0;
    for (unsigned i = 0; i < shared.model->key_words && i < MOST_SQUEEZED; i++) {
        word x = at < 64 ? a >> at | (at ? b << (64 - at) : 0) : b >> (at - 64);
        s[i] = deposit(x, q->keep[i]) | q->pattern[i];
        at += (unsigned)__builtin_popcountll(q->keep[i]);
    }
}

/* ------------------------------------------------------------------------------------------- unusual states */

static uint64_t side_find(const struct side *side, const word *s)
{
    size_t bytes = shared.model->key_words * sizeof(word);
    uint64_t i = shared.model->hash(s) & side->mask;
    while (side->used[i] && memcmp(side->states + i * shared.model->key_words, s, bytes) != 0) {
        i = (i + 1) & side->mask;
    }
    return i;
}

void side_free(struct side *side)
{
    if (side->states != NULL) {
        give_memory(side->states, (side->mask + 1) * shared.model->key_words * sizeof(word));
        give_memory(side->used, side->mask + 1);
    }
    *side = (struct side){0};
}

static bool side_grow(void)
{
    struct side old = shared.side, *side = &shared.side;
    uint64_t room = old.states ? 2 * (old.mask + 1) : 1024;
    unsigned words = shared.model->key_words;
    *side = (struct side){take_memory(room * words * sizeof(word)), take_memory(room), room - 1, old.count};
    if (side->states == NULL || side->used == NULL) {
        *side = old;
        stop_because(END_MEMORY);
        return false;
    }
    for (uint64_t i = 0; old.states && i <= old.mask; i++) {
        if (old.used[i]) {
            uint64_t at = side_find(side, old.states + i * words);
            side->used[at] = 1;
            memcpy(side->states + at * words, old.states + i * words, words * sizeof(word));
        }
    }
    side_free(&old);
    return true;
}

static int side_put(const word *s)
{
    struct side *side = &shared.side;
    if ((side->states == NULL || side->count * 4 > side->mask * 3) && !side_grow()) {
        return 2;
    }
    uint64_t i = side_find(side, s);
    if (side->used[i]) {
        return 0;
    }
    side->used[i] = 1;
    memcpy(side->states + i * shared.model->key_words, s, shared.model->key_words * sizeof(word));
    side->count++;
    return 1;
}

/* 0: was there; 1: is new; 2: there is no memory. */
static pthread_mutex_t side_lock = PTHREAD_MUTEX_INITIALIZER;

int side_insert(const word *s)
{
    if (!shared.table.shared) {
        return side_put(s);
    }
    pthread_mutex_lock(&side_lock);
    int result = side_put(s);
    pthread_mutex_unlock(&side_lock);
    return result;
}

bool side_has(const word *s)
{
    pthread_mutex_lock(&side_lock);
    const struct side *side = &shared.side;
    const bool there = side->states != NULL && side->used[side_find(side, s)];
    pthread_mutex_unlock(&side_lock);
    return there;
}
