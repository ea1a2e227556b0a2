/* What the tables of a symmetry strategy are made of; fold.py fills them, fold.inc.h uses them.

   A template (codegen/templates.py), behind MOVABLES. */
#ifndef ISOSPIN_MOVABLES_H
#define ISOSPIN_MOVABLES_H

#include "core/engine.h"

typedef uint16_t movable;
typedef unsigned __int128 wide;

/* A piece of a word that moves as a whole; see cells.py. */
struct cell {
    word mask, label;
    uint16_t word_at, position;
    uint8_t shift, bits;
    bool is_signed : 1, is_pointer : 1,
        is_silent : 1; /* a pointer into a heap that is folded; what moves but says nothing */
    int16_t movable, names, length, template;
};

/* A field of an object, or what a call has saved, that may hold a name: where in the cell or the entry. */
struct name_place {
    word mask;
    uint16_t word_at;
    uint8_t shift;
    int16_t names;
};

struct owners {
    const uint8_t *of, *among;
    uint8_t n_of, n_among;
};

struct names {
    const int16_t *movable; /* by value; negative: none */
    uint32_t limit;
    const uint32_t *far_value; /* those that are beyond the limit */
    const int16_t *far_movable;
    uint32_t n_far;
};

struct level {
    uint8_t point, n_reach;
    const uint8_t *reach;         /* the places that the point can take */
    const movable (*there)[MOVABLES]; /* for each, an element that takes it there */
    const movable (*back)[MOVABLES];  /* and its inverse */
};

/* A piece that an element changes: which one comes there. */
struct change {
    uint16_t to, from;
};

#endif
