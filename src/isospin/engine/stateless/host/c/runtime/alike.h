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

/* How often it was asked, how often the answer was yes, and what it cost: of the processor's time, and in questions to
 * Python about program points that were not met before. */
struct alike_counters {
    uint64_t asked, alike;
    uint64_t questions;
    double seconds;
};
extern struct alike_counters alike_counters;

/* Is exchanging the two threads an automorphism of the program from the current state on?  Both live, and nobody runs: asked
 * between two steps.  False if it is not known. */
bool alike(int a, int b);

#endif
