/* States that wait on the disk, where memory is scarce: only the table bounds a search then.

   Reference: Stern and Dill, "Using magnetic disk instead of main memory in the Murphi verifier" (1998), for levels as
   streams.
   Differs: the table stays in memory, and so do two bytes a state, the way back to it.  Nothing is written while memory
   is left for the states that wait and for the next larger table.

   SOUND: a chunk is written when it is full and nobody works on it, and read again as a whole before its states are
   expanded, in the same order.  What cannot be written stays in memory, and what cannot be read stops the search. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "search/modes.h"

enum { NAME = 4096 };
static int file = -1; /* of no name: it is gone with us, however we end */
static bool refused;  /* there is no file, or no room in it */

static const char *directory(void)
{
    const char *place = getenv("TMPDIR");
    return place && *place ? place : "/tmp";
}

/* SOUND: a table of places needs the states where they are, and so does whoever saves them. */
static bool is_possible(void)
{
    return !refused && shared.threads == 1 && shared.table.quotient && checkpoint.path == NULL &&
           shared.workers[0].mode == MODE_BFS;
}

static bool open_file(void)
{
    char name[NAME];
    if (file < 0 && snprintf(name, sizeof name, "%s/isospin-XXXXXX", directory()) < NAME) {
        file = mkstemp(name);
        if (file >= 0) {
            (void)unlink(name);
            report_warning("memory is scarce (--max-memory): states that wait to be expanded are in a temporary file");
        }
    }
    return file >= 0;
}

static bool transfer(word *states, uint32_t number, bool writes)
{
    char *data = (char *)states;
    const size_t bytes = chunk_bytes();
    off_t at = (off_t)((uint64_t)number * bytes);
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = writes ? pwrite(file, data + done, bytes - done, at + (off_t)done)
                                 : pread(file, data + done, bytes - done, at + (off_t)done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            errno = n ? errno : EIO;
            return false;
        }
    }
    return true;
}

/* The disk is full, or there is none: the states are still where they were. */
static void refuse(int error)
{
    char text[256];
    refused = true;
    (void)snprintf(text, sizeof text,
                   "states that wait to be expanded stay in memory: they cannot be written to a temporary file: %s",
                   strerror(error));
    report_warning(text);
}

/* A full chunk leaves memory, if that is possible; its room is for other states then. */
bool spill_chunk(uint32_t number)
{
    struct chunk *c = shared.chunks[number];
    const bool busy = c->used < shared.model->chunk_size || number == shared.workers[0].in_chunk;
    if (c->states == NULL || busy || !is_possible()) {
        return false;
    }
    if (!c->on_disk && !(open_file() && transfer(c->states, number, true))) {
        refuse(errno);
        return false;
    }
    c->on_disk = true;
    chunk_forget(c);
    return true;
}

/* Is so little memory left that the table could not grow any more? */
bool spill_is_due(void)
{
    return shared.max_memory != UINT64_MAX && is_possible() &&
           shared.memory + chunk_bytes() + table_next_bytes() > shared.max_memory;
}

/* All that may leave memory does; false if there was nothing. */
bool spill_all(void)
{
    bool some = false;
    for (uint32_t number = shared.n_chunks; number-- > 0;) {
        const struct chunk *c = shared.chunks[number];
        some |= c != NULL && c->states != NULL && spill_chunk(number);
    }
    return some;
}

/* The states are needed now; false: they cannot be read, and the search stops. */
bool spill_load(uint32_t number)
{
    struct chunk *c = shared.chunks[number];
    if (c->states != NULL) {
        return true;
    }
    c->states = chunk_room();
    if (c->states == NULL) {
        stop_because(END_MEMORY);
    } else if (!transfer(c->states, number, false)) {
        stop_because("states that waited on the disk cannot be read");
    } else {
        return true;
    }
    return false;
}

/* They were expanded; the others in the chunk are read when it is their turn. */
void spill_release(uint32_t number)
{
    if (shared.chunks[number]->states != NULL) {
        chunk_forget(shared.chunks[number]);
    }
}

/* Nobody will read them again. */
void spill_drop(uint32_t number)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    const off_t bytes = (off_t)chunk_bytes();
    (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)number * bytes, bytes);
#else
    (void)number;
#endif
}
