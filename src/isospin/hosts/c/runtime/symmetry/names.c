#include "runtime.h"

#include "symmetry/names.h"

#include <emmintrin.h>
#include <string.h>

static inline uintptr_t word_at(const uint8_t *at)
{
    uintptr_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

struct sought {
    uintptr_t low, last;
    int byte; /* all of them have the same bytes from this one to the next but one */
    name_found found;
    void *context;
};

static bool tell(const struct sought *sought, const uint8_t *at)
{
    uintptr_t word = word_at(at);
    if (word - sought->low > sought->last - sought->low)
        return true;
    return sought->found((uintptr_t)at, word, sought->context);
}

/* Bit i: the word at from + i may be one. */
static inline unsigned candidates(const struct sought *sought, const uint8_t *from)
{
    unsigned equal = 0xffff;
    for (int i = 0; i < 3; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(from + sought->byte + i));
        __m128i wanted = _mm_set1_epi8((char)(sought->low >> 8 * (sought->byte + i)));
        equal &= (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
    }
    return equal;
}

enum { STRIDE = 64 };

/* Can none of the words that begin in the next bytes be one?  Most memory has not even the first of the three bytes. */
static inline bool has_none(const struct sought *sought, const uint8_t *from)
{
    const __m128i *at = (const __m128i *)(from + sought->byte);
    __m128i wanted = _mm_set1_epi8((char)(sought->low >> 8 * sought->byte)), any = _mm_setzero_si128();
    for (int i = 0; i < STRIDE / 16; i++)
        any = _mm_or_si128(any, _mm_cmpeq_epi8(_mm_loadu_si128(at + i), wanted));
    return !_mm_movemask_epi8(any);
}

static bool search(const struct sought *sought, const uint8_t *from, size_t size)
{
    if (size < sizeof(uintptr_t))
        return true;
    size_t words = size - sizeof(uintptr_t) + 1, at = 0;
    for (; at + 32 <= size && at + 16 <= words; at += 16) {
        while (at + STRIDE + 32 <= size && has_none(sought, from + at))
            at += STRIDE;
        for (unsigned bits = candidates(sought, from + at); bits; bits &= bits - 1)
            if (!tell(sought, from + at + __builtin_ctz(bits)))
                return false;
    }
    for (; at < words; at++)
        if (!tell(sought, from + at))
            return false;
    return true;
}

bool names_of_regions(const void *from, size_t size, name_found found, void *context)
{
    _Static_assert(REGION_BASE >> 40 == (REGION_END - 1) >> 40, "bytes 5, 6, 7 are the same in all regions");
    struct sought sought = {REGION_BASE, REGION_END - 1, 5, found, context};
    return search(&sought, from, size);
}

bool names_between(const void *from, size_t size, uintptr_t low, uintptr_t high, name_found found, void *context)
{
    struct sought sought = {low, high, 2, found, context};
    if (low >> 16 == high >> 16)
        return search(&sought, from, size);
    for (uintptr_t part = low; part <= high; part = (part | 0xffff) + 1) { /* bytes 2, 3, 4 are the same in each */
        sought.low = part;
        sought.last = (part | 0xffff) < high ? part | 0xffff : high;
        if (!search(&sought, from, size))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- all of a state */

enum { MOST_POINTERS = 4096, MOST_PAGES = 1024, PAGE = 4096, BEYOND = sizeof(uintptr_t) - 1 };

static struct {
    uint64_t at; /* which state they are of, + 1 */
    int count;
    struct pointer all[MOST_POINTERS];
} pointers;

struct visit {
    pointer_found found;
    void *context;
    const struct part *part;
};

static bool tell_pointer(uintptr_t where, uintptr_t word, void *context)
{
    const struct visit *visit = context;
    struct pointer pointer = {where, word, *visit->part};
    return visit->found(&pointer, visit->context);
}

static bool tell_between(uintptr_t from, uintptr_t to, struct visit *visit)
{
    const struct part *part = visit->part;
    uintptr_t low = from > part->from + BEYOND ? from - BEYOND : part->from, end = part->from + part->size;
    return names_of_regions((void *)low, (end - to > BEYOND ? to + BEYOND : end) - low, tell_pointer, visit);
}

static bool found_one(const struct pointer *pointer, void *unused)
{
    (void)pointer, (void)unused;
    return false;
}

/* A page of a library that is as it was at the start, without a pointer; most of them are.  SOUND: with the bytes on
 * both sides.  If these are written, they are looked at, with some bytes of this page. */
static bool is_empty(const struct part *part, uintptr_t from, uintptr_t to)
{
    static uint8_t known[MOST_PAGES]; /* 1: it is, 2: it is not */
    struct visit visit = {.found = found_one, .part = part};
    int page = reset_unwritten(from);
    if (page < 0 || page >= MOST_PAGES)
        return false;
    if (!known[page])
        known[page] = tell_between(from, to, &visit) ? 1 : 2;
    return known[page] == 1;
}

static bool tell_part(const struct part *part, void *context)
{
    struct visit *visit = context;
    uintptr_t end = part->from + part->size, first = part->from;
    visit->part = part;
    for (uintptr_t at = first, next; at < end; at = next) {
        next = (at | (PAGE - 1)) + 1 < end ? (at | (PAGE - 1)) + 1 : end;
        if (part->kind != SHARED || !is_empty(part, at, next))
            continue;
        if (first < at && !tell_between(first, at, visit))
            return false;
        first = next;
    }
    return first == end || tell_between(first, end, visit);
}

static bool search_memory(pointer_found found, void *context)
{
    struct visit visit = {.found = found, .context = context};
    return memory_each(tell_part, &visit);
}

static bool add(const struct pointer *pointer, void *unused)
{
    (void)unused;
    if (pointers.count == MOST_POINTERS)
        return false;
    pointers.all[pointers.count++] = *pointer;
    return true;
}

bool pointers_each(pointer_found found, void *context)
{
    if (pointers.at != program_moves + 1) {
        pointers.at = program_moves + 1;
        pointers.count = 0;
        if (!search_memory(add, NULL))
            pointers.count = -1;
    }
    if (pointers.count < 0) /* SOUND: a list that is not complete says nothing. */
        return search_memory(found, context);
    for (int i = 0; i < pointers.count; i++)
        if (!found(&pointers.all[i], context))
            return false;
    return true;
}
