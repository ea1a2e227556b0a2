/* Are two threads symmetric from the current state on?
 *
 * Exchanging threads a and b exchanges their two regions: a word that is an address in region(a) becomes the address of
 * the same place in region(b), and the other way round; all other words stay.  They are alike if the state that can still
 * matter is the same afterwards: what both will execute and the values that it will read, and everything else.
 */
#ifndef ISOSPIN_ALIKE_H
#define ISOSPIN_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, behind arena_open. */
void alike_open(void);
/* Is exchanging the two threads an automorphism of the program from the current state on?  Both live, and nobody runs: asked
 * between two steps.  False if it is not known. */
bool alike(int a, int b);
/* What told the last two apart, for people; NULL if they were alike. */
const char *alike_difference(void);
/* How many questions about program points were put to Python so far; each is put once. */
uint64_t alike_questions(void);

#endif
