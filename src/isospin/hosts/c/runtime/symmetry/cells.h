/* Cells of memory that a renaming may move besides the regions of threads (renaming.h).
 *
 * A cell moves only if pointers are the only way to it: no code that is still to be executed names the variable that it
 * is, or is a part of.  Elements of an array are cells of their own if no such code goes from one to the next by
 * arithmetic with pointers; otherwise the array is one cell.
 */
#ifndef ISOSPIN_CELLS_H
#define ISOSPIN_CELLS_H

#include "symmetry/renaming.h"

/* Two addresses that have to be images of each other: let the cells that they point into be so.  False if there are no
 * such cells, or if they have other partners. */
bool cells_bind(struct renaming *renaming, uintptr_t one, uintptr_t other);
/* The same for two words that only main uses, and that are no cells: names of threads, wherever it keeps them.  SOUND:
 * such words hold the same in an execution and its image, and main is watched (bystander.h), so pointers to them stay
 * as they are; threads that move have no others, since they were compared before these words were found. */
bool cells_bind_word(struct renaming *renaming, uintptr_t one, uintptr_t other);
/* Where the variables of the program are that move: from low to high; both 0 if none does. */
void cells_variables(const struct renaming *renaming, uintptr_t *low, uintptr_t *high);
/* SOUND: blocks of a thread that has seats do not change places, since then not the same one would be its newest.  If
 * some should, the search starts again without seats. */
bool cells_have_no_seats(const struct renaming *renaming);
/* Is of two cells that take each other's part the same known to be raced for? */
bool cells_equally_visible(const struct renaming *renaming);

#endif
