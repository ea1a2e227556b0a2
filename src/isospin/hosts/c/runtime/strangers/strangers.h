/* Functions of libraries that the program calls, and that are not ours: libraries are not compiled for control.
 *
 * Each call goes through a stub (stubs.S).  Of familiar functions (familiar.c) it is known what they touch, which is
 * announced before the call; a stranger may touch anything.
 *
 * SOUND: a stranger is harmless while its caller is alone, since then whatever it touches is ordered with all that
 * others do.  If it is not, the verdict cannot be "holds".
 */
#ifndef ISOSPIN_STRANGERS_H
#define ISOSPIN_STRANGERS_H

#include <stdbool.h>

enum { MOST_STRANGERS = 1024 }; /* stubs in stubs.S */

/* What the function of this name touches, as letters; NULL: nobody knows.
 *
 *   -      a value, or a pointer that is not followed     t      reads a text up to its end
 *   r16    reads 16 bytes there                           w16    writes (and perhaps reads) 16 bytes there
 *   R      reads as many bytes as the next argument says  W      writes as many
 *   f      uses a stream of stdio                         s      uses a stream of C++
 *
 * One for each of the first arguments that are no floating-point numbers; an R or W stands for the next one, too. */
const char *familiar_touches(const char *name);

/* A function that is ours, and does what cannot be announced: it is a stranger if its caller is not alone. */
void meet_unseen(const char *name, void **entry);

/* Does the program call a function of this name, which it does not have itself? */
bool program_calls(const char *name);

/* Put the stubs before what the program calls: once, before it runs. */
void strangers_prepare(void);

#endif
