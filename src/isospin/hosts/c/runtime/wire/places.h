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

struct carried { /* bytes of a frame, and what carries numbers in them */
    int32_t low, size; /* a size of 0: anywhere */
    uint64_t carrier;
};

struct code { /* a part of a function */
    uintptr_t function, low, high;
};

struct place { /* behind a call, or where a function begins */
    bool known;
    int32_t sp; /* the stack pointer */
    int32_t saved[SAVED_REGISTERS]; /* where the caller's registers are; 0: where they were */
    unsigned registers; /* those whose values are read later; of a function: 1 if it looks at its argument */
    unsigned flags;
    int object_count; /* variables of the program that can be reached by name, or EVERYTHING */
    int *objects;
    unsigned live_count, pointed_count, freed_count, returned_count, lent_count, told_count, piece_count;
    struct extent *live;    /* read later */
    struct extent *pointed; /* read later only if there is a pointer to the piece that it is in */
    struct extent *freed;   /* live, but the pointer there is only to be freed */
    struct extent *returned; /* live, but only to be the result of the function */
    struct extent *lent; /* of `pointed`: nobody has a pointer once the present call is over */
    struct extent *told; /* variables all accesses to which are announced */
    unsigned walk_count;
    uint32_t *walks; /* the sizes of objects over which code may go by arithmetic with pointers; 0: any */
    struct piece_of_frame *pieces; /* an address in one of them leads to no other */
    unsigned code_count, carried_count, kept_count;
    struct code *code; /* that is still to be executed */
    struct code call;  /* before this place, unless a function of the program is called; else all 0 */
    unsigned called_count;
    uintptr_t *called; /* functions of the program that this may call */
    struct carried *carried; /* ascending */
    uint64_t register_carriers[SAVED_REGISTERS]; /* 0: none.  Of a function: the first is that of its argument */
    uint64_t *kept; /* carriers whose numbers must stay what they are */
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
    bool fixed;    /* libraries use it, too */
};

struct global_part { /* of a variable of the program: what carries numbers in it */
    int global;
    uintptr_t address;
    size_t size; /* 0: anywhere in the variable */
    uint64_t carrier;
};

struct made_part { /* of an element of a block: what carries numbers in it */
    size_t offset, size;
    uint64_t carrier;
};

struct made { /* blocks of the heap that one call makes */
    uintptr_t site;  /* the instruction behind it */
    uintptr_t outer; /* and behind the call of the function that returns the block to its user; 0: that is the user */
    size_t size;    /* of an element */
    unsigned count;
    struct made_part *parts; /* ascending */
};

struct rule { /* what an instruction does with a value */
    uintptr_t at;
    enum rule_kind kind;
    unsigned leaf_count, step_count, object_count;
    uint64_t *leaves; /* carriers from which it is computed */
    uint64_t target;  /* the carrier that gets it, or 0 */
    struct step_of_value {
        enum compute how;
        long long number;
    } *steps;
    int *objects; /* variables of the program whose addresses are in it */
};

struct rules {
    unsigned count;
    struct rule *list;
};

/* Once, before anything else of this file. */
void places_open(void);
/* The program point behind a call. */
const struct place *place_at(uintptr_t pc);
/* Is what is live there only to be the result of the function? */
bool place_returns(const struct place *place, const struct extent *live);
/* Is a part of its frame in a variable all accesses to which are announced? */
bool place_tells(const struct place *place, const struct extent *part);
/* The same, but only what is known of the frame: a quick answer. */
const struct place *place_frame(uintptr_t pc);
/* A function that has not begun. */
const struct place *place_of_function(uintptr_t function);
const struct place_pair *place_pair(uintptr_t first, uintptr_t second);
/* The number of the variable at an address, or -1. */
int place_global(uintptr_t address, struct global *found);
int place_globals(void);
/* What carries numbers in them, by address. */
const struct global_part *place_parts(int *count);
/* What blocks are made of that were asked for by the call before this instruction, in a function called before `outer`;
 * NULL: that is not known. */
const struct made *place_made(uintptr_t site, uintptr_t outer);
/* Of a function. */
const struct rules *place_rules(uintptr_t function);
/* The i-th range of data that nobody writes; false if there is none. */
bool place_constant(int i, struct global *found);
/* How many questions were put to Python. */
uint64_t place_questions(void);

#endif
