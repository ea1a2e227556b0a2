/* Words and bytes, and what they become under the renaming that is being tried (alike.c). */
#ifndef ISOSPIN_IMAGE_H
#define ISOSPIN_IMAGE_H

#include "symmetry/cells.h"
#include "symmetry/renaming.h"

extern struct renaming map;
extern bool growing; /* cells may still be added */
extern bool grew;    /* some were */

static inline uintptr_t image(uintptr_t word)
{
    return map.count ? renaming_word(&map, word) : region_image(word, map.to);
}

static inline bool bind(uintptr_t one, uintptr_t other)
{
    return growing && cells_bind(&map, one, other) && (grew = true);
}

/* Is the second the image of the first? */
static inline bool same_word(uintptr_t one, uintptr_t other) { return image(one) == other || bind(one, other); }

static inline bool same_pointer(const void *one, const void *other)
{
    return same_word((uintptr_t)one, (uintptr_t)other);
}

/* Which variables move is known: the renaming is complete. */
void image_complete(void);
/* Another one is tried, to which cells may be added. */
void image_grows(void);
bool same_bytes(const char *first, const char *second, size_t size);
/* Of so many bytes, which a carrier of numbers holds. */
bool same_carried(uint64_t carrier, uintptr_t one, uintptr_t other, size_t size);
/* Where numbers of threads are carried, as the renaming changes them. */
bool same_held(const char *first, const char *second, size_t size);

#endif
