#include "symmetry/image.h"

#include "numbers/numbers.h"
#include "runtime.h"
#include "symmetry/names.h"
#include "symmetry/scene.h"

struct renaming map;
bool growing, grew;
static uintptr_t low_variable, high_variable; /* where those are that are variables; 0: not known yet */

void image_complete(void)
{
    growing = false;
    cells_variables(&map, &low_variable, &high_variable);
}

void image_grows(void)
{
    growing = true;
    low_variable = high_variable = 0;
}

static bool is_aligned(uintptr_t where, uintptr_t word, void *unused)
{
    (void)unused;
    return where % sizeof(uintptr_t) == 0 || image(word) == word || is_from_before(where, word);
}

/* SOUND: an address that is not aligned has no image here. */
static bool all_aligned(const char *bytes, size_t size)
{
    if (!names_of_regions(bytes, size, is_aligned, NULL))
        return false;
    return !high_variable || names_between(bytes, size, low_variable, high_variable - 1, is_aligned, NULL);
}

bool same_bytes(const char *first, const char *second, size_t size)
{
    size_t at = 0;
    for (; at < size && ((uintptr_t)first + at) % sizeof(uintptr_t); at++)
        if (first[at] != second[at])
            return blame_place((uintptr_t)first + at);
    for (; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
        uintptr_t one, other; /* copied without a call (-fno-builtin) */
        __builtin_memcpy(&one, first + at, sizeof one);
        __builtin_memcpy(&other, second + at, sizeof other);
        if ((one | other) && !same_word(one, other)) /* most are zero */
            return blame_place((uintptr_t)first + at);
    }
    for (; at < size; at++)
        if (first[at] != second[at])
            return blame_place((uintptr_t)first + at);
    return all_aligned(first, size);
}

bool same_carried(uint64_t carrier, uintptr_t one, uintptr_t other, size_t size)
{
    int before = map.count;
    bool same = numbers_same(carrier, one, other, size, &map, growing);
    grew |= map.count != before;
    return same;
}

bool same_held(const char *first, const char *second, size_t size)
{
    for (size_t at = 0, part; at < size; at += part) {
        uint64_t carrier = numbers_carrier((uintptr_t)first + at, size - at, &part);
        if (carrier ? !same_carried(carrier, word_at((uintptr_t)first + at, part),
                                    word_at((uintptr_t)second + at, part), part)
                    : !same_bytes(first + at, second + at, part))
            return false;
    }
    return true;
}
