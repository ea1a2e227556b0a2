/* Symmetry of threads that stays sound: what is left out, and what has to be done instead.
 *
 * The same as in ../../../dpor.py and ../../../orbit.py, for the renamings that `alike` (alike.h) finds.
 */
#ifndef ISOSPIN_ORBIT_H
#define ISOSPIN_ORBIT_H

#include "symmetry/renaming.h"

struct search;
struct node;
struct ahead;

/* Where in the code, and what is done there: a kind of operation. */
struct place {
    const void *pc;
    int kind;
};

/* An action as the how many-th one of its thread, from 0 on. */
struct deed {
    uint32_t action;
    unsigned nth;
};

/* A set of deeds. */
struct seen {
    uint64_t *bits;
    unsigned words;
};

/* A renaming and its inverse, with what they do to actions. */
struct image {
    const struct renaming *renaming, *inverse; /* only as long as the cells that they move */
    unsigned long collected; /* the number of the collection that it was put into last */
    struct memo {
        uint32_t *known; /* of an action: the number of its image + 1; 0: not computed */
        unsigned room;
    } there, back_there;
    struct image *next;
};

/* What a node remembers for symmetry. */
struct orbit {
    struct seen seen;                  /* all deeds that were pending in its subtree */
    struct seen asleep[MOST_THREADS];  /* of each sleeping thread: what was seen when it was explored */
    thread_set owned;                  /* those of `asleep` that were made here */
    thread_set wanted;                 /* of the others: those that somebody wanted to be explored here */
    struct seen *choices;              /* what was seen with the earlier choices of the thread being explored */
    unsigned choice_count, choice_room;
    struct image **fixing; /* the renamings that fix the state, if threads were born here */
    unsigned fixing_count, fixing_room;
    bool is_group; /* with the identity */
};

enum { MOST_APART = 16, IMAGE_LISTS = 256 };

/* For the paper's Table 2; and what told threads apart that had come to the same place. */
struct symmetry {
    long long checks, successes, skipped, covered;
    uint64_t cycles;
    struct apart {
        const char *why;
        const void *pc;
        long long times;
    } apart[MOST_APART];
    int apart_count;
    struct image *images[IMAGE_LISTS]; /* by a number of the renaming */
    unsigned long collections;
    struct ahead *ahead; /* while it is looked at (left_out.c) */
    unsigned ahead_room;
};

void deeds_open(void);
uint32_t deed_number(uint32_t action, unsigned nth);
struct deed deed(uint32_t number);

void seen_add(struct seen *set, uint32_t deed);
void seen_remove(struct seen *set, uint32_t deed);
void seen_clear(struct seen *set);
bool seen_has(const struct seen *set, uint32_t deed);
void seen_join(struct seen *set, const struct seen *more);

/* A renaming that fixes the current state of the program and takes the first thread to the second, or NULL. */
const struct renaming *orbit_alike(struct search *search, int first, int second);
void orbit_clear(struct node *node);
/* The thread that was being explored is not, after all. */
void orbit_abandon(struct node *node);
/* In a copy (jobs.h): the thread that was being explored sleeps, and what is seen in its subtree is this for now. */
void orbit_sleep(struct node *node, int thread, uint32_t mark);
/* A copy has explored a thread; the set is the node's from now on. */
void orbit_explored(struct node *node, int thread, struct seen seen);
/* Go back to an event with which the thread may race: it, or if it cannot move there, all that can. */
void orbit_go_back(struct search *search, int event, int thread, struct place here, struct place there);
/* A node in which threads were born, or the first one: which renamings fix it?  The program is there. */
void orbit_born(struct search *search, struct node *node);
/* After the sleep set of a child is known: what is pending there was seen; is the execution the image of one that was
 * explored? */
void orbit_child(struct search *search, const struct node *node, struct node *child);
/* A child is left for ever; then, after its last choice: the thread was explored. */
void orbit_closed(const struct search *search, struct node *parent, struct node *child);
void orbit_done(struct node *node, int thread);
/* Is there a thread, explored here or asleep, of which this one is the image?  Then it sleeps from now on.  The program
 * is at the node. */
bool orbit_skips(struct search *search, struct node *node, int thread);
/* Is the next outcome of a signal the image of one that was explored?  Then it counts as explored. */
bool orbit_skips_choice(struct search *search, struct node *node);

#endif
