/* An element of a variable that holds pids or belongs to them; of a local one, from the beginning of a lane. */
#ifndef ISOSPIN_LIVE_CELL_H
#define ISOSPIN_LIVE_CELL_H

#include "core/engine.h"

struct live_cell {
    val otherwise; /* what it is if it belongs to nobody */
    uint32_t label; /* which place, but for the pids among the indices */
    uint16_t word, stride[2]; /* how far it is to the same element for the next pid, in cells */
    uint8_t shift, bits, is_signed, holds, n_pids, pid[2];
};

#endif
