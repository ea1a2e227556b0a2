/* Are two threads symmetric from the current state on?
 *
 * Exchanging threads a and b exchanges their two regions: a word that is an address in region(a) becomes the address of
 * the same place in region(b), and the other way round; all other words stay.  They are alike if the state that can
 * still matter is the same afterwards: what both will execute and the values that it will read, and everything else.
 * Where that does not suffice, cells of memory move, too, and other threads: a ring of threads may be rotated
 * (renaming.h).
 */
#ifndef ISOSPIN_ALIKE_H
#define ISOSPIN_ALIKE_H

#include "symmetry/renaming.h"

/* Once, behind arena_open. */
void alike_open(void);
/* A renaming that takes the first thread to the second, and is an automorphism of the program from the current state
 * on.  Both live, and nobody runs: asked between two steps.  False if none is known. */
bool alike(int a, int b, struct renaming *found);
/* What told the last two apart, for people; NULL if they were alike. */
const char *alike_difference(void);
/* Look once more for the memory in which it is seen. */
void alike_explain(void);
/* Main may be taken for a bystander (bystander.h), and blocks have seats (libc/seats.c), in a search that starts again
 * when something is learnt. */
void alike_watch_main(bool symmetric);
struct watched;
/* All threads that a renaming moves have ended, and so have all others but main: does it fix what main can still read?
 */
bool alike_left_behind(const struct watched *watched);
/* How many questions about program points were put to Python so far; each is put once. */
uint64_t alike_questions(void);

/* The search starts again after so many executions. */
void alike_lost(long long executions);

#endif
