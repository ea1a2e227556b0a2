/* The program where its threads have begun, for whoever tells the user about them. */
#ifndef ISOSPIN_BEGINNING_H
#define ISOSPIN_BEGINNING_H

#include "explore/contract.h"

/* At most so many steps, each with the first choice: of this thread until it would join or end, or, with -1, of the
 * first one that can go on, until nobody can; or until something is found. */
const struct finding *run_steps(int thread, long most);
/* A message `alike`: is there a renaming that takes the first thread to the second, and if not, why? */
void tell_alike(int a, int b);

#endif
