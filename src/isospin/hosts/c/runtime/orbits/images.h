/* Renamings that were found, and what they do to actions; for those who leave something out (orbit.h). */
#ifndef ISOSPIN_IMAGES_H
#define ISOSPIN_IMAGES_H

#include "orbits/orbit.h"

/* The number of the image of an action. */
uint32_t image_of_action(struct memo *memo, const struct renaming *renaming, uint32_t action);
struct image *image_of(struct search *search, const struct renaming *renaming);
/* A renaming that fixes the state and takes the first thread to the second, or NULL. */
struct image *find_image(struct search *search, int first, int second);
/* What was seen in a subtree that was explored, of which what follows from the node on top is an image; NULL: of none.
 */
const struct seen *find_covering(struct search *search, struct image **image, int *base);

/* With which earlier events a subtree would have raced that is left out at a node (left_out.c): to these it is gone
 * back.  `deeds` are those that would have been pending in it. */
void go_back_for_races(struct search *search, const struct node *node, const struct seen *deeds);

#endif
