/* Tables that forget: a few bits for each state, or a hash of it.

   Reference: Holzmann, "An analysis of bitstate hashing" (1998); Stern and Dill, "Improved probabilistic verification
   by hash compaction" (1995); Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters" (2007).
   Differs: all bits of a state lie in one line of the cache, and the probability is computed from how full the lines
   are.

   SOUND: a state may be taken for one that was seen, never the other way round.  So what is found is true, and the
   report never says that a property holds. */
#include "search/modes.h"

enum { BITS_PER_STATE = 3, LINE_BITS = 9, TRIES = 30, FIRST = 12, FAST = 19, SAMPLE = 512 };

/* ------------------------------------------------------------------------------------------- bits */

/* The upper bits of the hash choose the bits, the lower ones the line. */
static int bits_insert(uint64_t hash)
{
    word *line = shared.table.slots + (hash & shared.table.mask) * LINE;
    int new = 0;
    for (int i = 1; i <= BITS_PER_STATE; i++) {
        unsigned bit = (unsigned)(hash >> (64 - LINE_BITS * i)) & ((1U << LINE_BITS) - 1);
        word *at = line + bit / 64, flag = 1ULL << bit % 64, seen = PEEK(*at);
        if (!(seen & flag) && shared.table.shared) {
            seen = __atomic_fetch_or(at, flag, __ATOMIC_RELAXED);
        } else if (!(seen & flag)) {
            *at = seen | flag;
        }
        new |= !(seen & flag);
    }
    return new;
}

static double mean_chance(void)
{
    double sum = 0;
    for (uint64_t i = 0; i <= shared.table.mask; i++) {
        int ones = 0;
        for (int j = 0; j < LINE; j++) {
            ones += __builtin_popcountll(shared.table.slots[i * LINE + (uint64_t)j]);
        }
        double fill = (double)ones / (1 << LINE_BITS), chance = 1;
        for (int j = 0; j < BITS_PER_STATE; j++) {
            chance *= fill;
        }
        sum += chance;
    }
    return sum / (double)(shared.table.mask + 1);
}

/* ------------------------------------------------------------------------------------------- fingerprints */

static int fingerprint_put(const struct table *t, uint64_t hash)
{
    const word value = hash + (hash == 0) - (hash == UINT64_MAX); /* these two mean something else */
    for (unsigned probe = 0; probe < TRIES; probe++) {
        word *line = t->slots + line_of(t, hash, probe) * LINE;
        for (int i = 0; i < LINE; i++) {
            word seen = __atomic_load_n(line + i, __ATOMIC_RELAXED);
            if (seen == 0) {
                if (!t->shared) {
                    line[i] = value;
                    return 1;
                }
                if (__atomic_compare_exchange_n(line + i, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                    return 1;
                }
            }
            if (seen == value) {
                return 0;
            }
        }
    }
    return 2;
}

static bool put_all(const struct table *to, const struct table *from)
{
    for (uint64_t i = 0; i < (from->mask + 1) * LINE; i++) {
        if (from->slots[i] && fingerprint_put(to, from->slots[i]) == 2) {
            return false;
        }
    }
    return true;
}

static void close_table(const struct table *t) { give_memory(t->slots, (sizeof(word) * LINE) << t->line_bits); }

void inexact_grow(void)
{
    struct table old = shared.table;
    for (unsigned bits = old.line_bits + (old.line_bits < FAST ? 2 : 1);; bits++) {
        if (!table_open(bits, false)) {
            shared.table = old;
            shared.table.limit = UINT64_MAX;
            stop_because(END_MEMORY);
            return;
        }
        if (put_all(&shared.table, &old)) {
            break;
        }
        close_table(&shared.table);
    }
    close_table(&old);
}

/* ------------------------------------------------------------------------------------------- samples */

/* The least hashes of all states that were new: the same states are in the samples of all searches of a model that met
   them, so that two samples tell how much two searches had in common. */
static struct {
    uint64_t hashes[SAMPLE];
    unsigned count;
} sample;

static void note_in_sample(uint64_t hash)
{
    if (sample.count == SAMPLE && hash >= sample.hashes[SAMPLE - 1]) {
        return;
    }
    unsigned at = sample.count < SAMPLE ? sample.count++ : SAMPLE - 1;
    while (at && sample.hashes[at - 1] > hash) {
        sample.hashes[at] = sample.hashes[at - 1];
        at--;
    }
    sample.hashes[at] = hash;
}

void print_sample(void)
{
    printf(",\"sample\":[");
    for (unsigned i = 0; i < sample.count; i++) {
        printf("%s%llu", i ? "," : "", (unsigned long long)sample.hashes[i]);
    }
    putchar(']');
}

/* Another function for each seed: what one search takes for seen, the next one does not. */
static uint64_t reseeded(uint64_t hash)
{
    hash = (hash ^ shared.seed) * 0x9e3779b97f4a7c15ULL;
    return (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
}

/* ------------------------------------------------------------------------------------------- both */

/* For bits the largest power of two that is not larger than what was asked for. */
bool inexact_open(void)
{
    if (shared.inexact == FINGERPRINT) {
        return table_open(FIRST, false);
    }
    unsigned bits = 0;
    while (bits < 57 && (sizeof(word) * LINE) << (bits + 1) <= shared.bitstate_bytes) {
        bits++;
    }
    if (!table_open(bits, false)) {
        return false;
    }
    shared.table.limit = UINT64_MAX;
    return true;
}

/* 0: seen, or taken for it; 1: new; 2: the table must grow. */
int inexact_insert(uint64_t hash)
{
    if (shared.inexact == FINGERPRINT) {
        return fingerprint_put(&shared.table, hash);
    }
    const int new = bits_insert(shared.seed ? reseeded(hash) : hash);
    if (new && shared.seed) {
        note_in_sample(hash);
    }
    return new;
}

/* Bits: that a new state would have been taken for a seen one at the end.  Fingerprints: that this happened at all. */
double omission_probability(void)
{
    if (shared.table.slots == NULL) {
        return 1;
    }
    if (shared.inexact == BITSTATE) {
        return mean_chance();
    }
    double states = 0;
    for (int i = 0; i < shared.threads && shared.workers; i++) {
        states += (double)shared.workers[i].states;
    }
    double expected = states * states / 0x1p65;
    return expected < 1 ? expected : 1;
}
