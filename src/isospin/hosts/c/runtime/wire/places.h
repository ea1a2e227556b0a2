/* What Python says about program points of the program's machine code, and of our own; asked once, then remembered. */
#ifndef ISOSPIN_PLACES_H
#define ISOSPIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h"

enum { EVERYTHING = -1 };

struct extent { /* of bytes, counted from the frame's upper end */
    int32_t low, high;
};

struct piece_of_frame { /* the same */
    int32_t low, high;
    int32_t stride; /* of an array: the size of an element; else all of it */
};

struct place { /* behind a call, or where a function begins */
    bool known;
    int32_t sp; /* the stack pointer */
    int32_t saved[SAVED_REGISTERS]; /* where the caller's registers are; 0: where they were */
    unsigned registers; /* those whose values are read later; of a function: 1 if it looks at its argument */
    unsigned flags;
    int object_count; /* variables of the program that can be reached by name, or EVERYTHING */
    int *objects;
    unsigned live_count, pointed_count, freed_count, returned_count, piece_count;
    struct extent *live;    /* read later */
    struct extent *pointed; /* read later only if there is a pointer to the piece that it is in */
    struct extent *freed;   /* live, but the pointer there is only to be freed */
    struct extent *returned; /* live, but only to be the result of the function */
    unsigned walk_count;
    uint32_t *walks; /* the sizes of objects over which code may go by arithmetic with pointers; 0: any */
    struct piece_of_frame *pieces; /* an address in one of them leads to no other */
};

struct slot { /* bytes of two frames that take each other's part */
    int32_t first, second;
    int32_t size;
};

struct place_pair {
    bool same; /* the same code follows */
    unsigned count;
    struct slot *slots; /* what is live in the two frames */
};

struct global { /* a variable of the program */
    uintptr_t low, high;
    size_t stride; /* of an array: the size of an element; else all of it */
};

/* Once, before anything else of this file. */
void places_open(void);
/* The program point behind a call. */
const struct place *place_at(uintptr_t pc);
/* A function that has not begun. */
const struct place *place_of_function(uintptr_t function);
const struct place_pair *place_pair(uintptr_t first, uintptr_t second);
/* The number of the variable at an address, or -1. */
int place_global(uintptr_t address, struct global *found);
int place_globals(void);
/* The i-th range of data that nobody writes; false if there is none. */
bool place_constant(int i, struct global *found);
/* How many questions were put to Python. */
uint64_t place_questions(void);

#endif
