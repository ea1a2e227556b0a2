/* Memory: chunks of states with the log of their parents. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/engine.h"

enum { HUGE_PAGE = 1 << 21, MOST_CHUNKS = 1 << 24 };
#ifdef __SANITIZE_ADDRESS__
#define FEW_BYTES SIZE_MAX /* all from malloc, where the sanitizer watches the bounds */
#else
#define FEW_BYTES (1 << 16)
#endif

static void count_memory(int64_t bytes)
{
    uint64_t total = __atomic_add_fetch(&shared.memory, (uint64_t)bytes, __ATOMIC_RELAXED), peak = PEEK(shared.peak);
    while (total > peak &&
           !__atomic_compare_exchange_n(&shared.peak, &peak, total, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Zeroed memory within the limit of the user, or NULL. */
void *take_memory(size_t bytes)
{
    void *memory = NULL;
    if (PEEK(shared.memory) + bytes > shared.max_memory) {
        return NULL;
    }
    if (bytes < FEW_BYTES) {
        memory = calloc(1, bytes ? bytes : 1);
    } else {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memory = memory == MAP_FAILED ? NULL : memory;
#ifdef MADV_HUGEPAGE
        if (memory != NULL && bytes >= HUGE_PAGE) {
            (void)madvise(memory, bytes, MADV_HUGEPAGE);
        }
#endif
    }
    if (memory != NULL) {
        count_memory((int64_t)bytes);
    }
    return memory;
}

void give_memory(void *memory, size_t bytes)
{
    if (memory == NULL) {
        return;
    }
    count_memory(-(int64_t)bytes);
    if (bytes < FEW_BYTES) {
        free(memory);
    } else {
        (void)munmap(memory, bytes);
    }
}

/* ------------------------------------------------------------------------------------------- chunks */

size_t chunk_bytes(void) { return (size_t)shared.model->chunk_size * shared.model->row_words * sizeof(word); }

void chunks_open(void)
{
    /* reserved, not used: the list of chunks never moves, so that threads may read it while it grows */
    void *memory = mmap(NULL, MOST_CHUNKS * sizeof(struct chunk *), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        out_of_memory();
    }
    shared.chunks = memory;
    shared.room_chunks = MOST_CHUNKS;
}

static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

/* Memory for the states of a chunk: what another one gave back, or new. */
static word *states_take(void)
{
    pthread_mutex_lock(&spare_lock);
    word *memory = shared.spare;
    if (memory != NULL) {
        memcpy(&shared.spare, memory, sizeof shared.spare);
    }
    pthread_mutex_unlock(&spare_lock);
    return memory != NULL ? memory : take_memory(chunk_bytes());
}

/* The same, and if there is none, states that wait make room. */
word *chunk_room(void)
{
    word *memory = states_take();
    return memory == NULL && spill_all() ? states_take() : memory;
}

/* For those who need memory in larger pieces. */
void give_spare(void)
{
    while (shared.spare != NULL) {
        word *memory = states_take();
        give_memory(memory, chunk_bytes());
    }
}

static struct chunk *chunk_make(void)
{
    struct chunk *c = take_memory(sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->states = chunk_room();
    c->order = take_memory(shared.model->chunk_size);
    c->kids = take_memory(shared.model->chunk_size);
    return c->states && c->order && c->kids ? c : NULL;
}

/* The number of a new chunk; UINT32_MAX if there is no memory, and the search stops. */
uint32_t chunk_new(void)
{
    if (shared.chunks == NULL) {
        chunks_open();
    }
    struct chunk *c = chunk_make();
    if (c == NULL) {
        stop_because(END_MEMORY);
        return UINT32_MAX;
    }
    uint32_t number = __atomic_fetch_add(&shared.n_chunks, 1, __ATOMIC_ACQ_REL);
    if (number >= shared.room_chunks) {
        stop_because(END_MEMORY);
        return UINT32_MAX;
    }
    shared.chunks[number] = c;
    return number;
}

void chunk_forget(struct chunk *c)
{
    pthread_mutex_lock(&spare_lock);
    memcpy(c->states, &shared.spare, sizeof shared.spare);
    shared.spare = c->states;
    pthread_mutex_unlock(&spare_lock);
    c->states = NULL;
}

/* Two workers that expand states of one chunk may want it at the same time. */
static uint32_t *big(uint32_t **array)
{
    uint32_t *there = __atomic_load_n(array, __ATOMIC_ACQUIRE);
    if (there != NULL) {
        return there;
    }
    uint32_t *new = calloc(shared.model->chunk_size, sizeof *new);
    if (new == NULL) {
        out_of_memory();
    }
    if (!__atomic_compare_exchange_n(array, &there, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(new);
        return there;
    }
    count_memory((int64_t)(shared.model->chunk_size * sizeof *new));
    return new;
}

void note_order(struct chunk *c, uint32_t index, uint32_t order)
{
    c->order[index] = SMALL;
    big(&c->big_order)[index] = order;
}

void note_kid(struct chunk *c, uint32_t index)
{
    if (c->kids[index] < SMALL) {
        big(&c->big_kids)[index] = c->kids[index];
        c->kids[index] = SMALL;
    }
    big(&c->big_kids)[index]++;
}

uint32_t kids_of(const struct chunk *c, uint32_t index)
{
    return c->kids[index] == SMALL ? c->big_kids[index] : c->kids[index];
}

static void add_segment(struct chunk *c, struct segment new)
{
    if (c->n_segments == c->room_segments) {
        uint32_t room = c->room_segments ? 2 * c->room_segments : 2;
        struct segment *segments = realloc(c->segments, room * sizeof *segments);
        if (segments == NULL) {
            out_of_memory();
        }
        count_memory((int64_t)((room - c->room_segments) * sizeof *segments));
        c->segments = segments;
        c->room_segments = room;
    }
    c->segments[c->n_segments++] = new;
}

/* The states from here on are successors of those of a rank, from number `place` on. */
void note_source(struct chunk *c, uint32_t rank, uint64_t place)
{
    add_segment(c, (struct segment){c->used, rank, (uint32_t)place, (uint32_t)(place >> 32)});
}

void note_segment(struct chunk *c, uint32_t from, uint32_t first, uint32_t skip)
{
    const struct segment new = {c->used, from, first, skip};
    if (shared.threads > 1) { /* whoever prints a path reads the segments of a chunk that is still being filled */
        pthread_mutex_lock(&shared.lock);
        add_segment(c, new);
        pthread_mutex_unlock(&shared.lock);
    } else if (!c->n_segments || c->segments[c->n_segments - 1].from != from) {
        add_segment(c, new); /* else: one worker takes the states in order, so this continues what is there */
    }
}
