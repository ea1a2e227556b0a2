/* A breadth-first search on disk, and back.

   Reference: none.
   Differs: the file is the memory: table, log of parents, frontier.  A search that was stopped in the middle of a state
   is saved as it was before that state, except for successors that are stored already: to expand it again finds them
   there. All bytes of the file, those of the first line too, are covered by the sum at its end. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "search/modes.h"

enum { BLOCK = 1 << 20 };

struct checkpoint checkpoint = {.interval = 300};

static double last_written;
static bool complained;
static struct {
    char *text;
    size_t length;
} findings;

/* ------------------------------------------------------------------------------------------- streams */

struct stream {
    FILE *file;
    bool writing;
    int error; /* errno, or -1 if the file is not what it should be */
    struct sum sum;
    size_t used, filled;
    unsigned char *block;
};

const struct sum SUM_OF_NOTHING = {MIX2, MIX3, 0};

void sum_add(struct sum *sum, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t x = 0;
        memcpy(&x, data + i, bytes - i < sizeof x ? bytes - i : sizeof x);
        sum->first = (sum->first ^ x) * MIX1;
        sum->first ^= sum->first >> 29;
        sum->second = (sum->second + x) * MIX2;
        sum->second ^= sum->second >> 32;
    }
    sum->bytes += bytes;
}

static void write_block(struct stream *s)
{
    sum_add(&s->sum, s->block, s->used);
    if (!s->error && fwrite(s->block, 1, s->used, s->file) != s->used) {
        s->error = errno ? errno : EIO;
    }
    s->used = 0;
}

static void read_block(struct stream *s)
{
    s->filled = fread(s->block, 1, BLOCK, s->file);
    s->used = 0;
    if (s->filled == 0) {
        s->error = -1;
    }
}

/* Writes the bytes, or reads them: one description of the file for both. */
static void pass(struct stream *s, void *data, size_t bytes)
{
    unsigned char *at = data;
    while (bytes && !s->error) {
        if (s->writing && s->used == BLOCK) {
            write_block(s);
        } else if (!s->writing && s->used == s->filled) {
            read_block(s);
            continue;
        }
        size_t room = (s->writing ? (size_t)BLOCK : s->filled) - s->used, n = bytes < room ? bytes : room;
        if (s->writing) {
            memcpy(s->block + s->used, at, n);
        } else {
            memcpy(at, s->block + s->used, n);
        }
        s->used += n;
        at += n;
        bytes -= n;
    }
}

#define PASS(s, variable) pass(s, &(variable), sizeof(variable))

/* ------------------------------------------------------------------------------------------- what is in the file */

/* Memory for something that is being read; what is being written is there. */
static void *place(struct stream *s, void *there, size_t bytes)
{
    if (s->writing || s->error) {
        return there;
    }
    void *memory = take_memory(bytes);
    if (memory == NULL) {
        stop_because(END_MEMORY);
        s->error = ENOMEM;
    }
    return memory;
}

static void pass_counts(struct stream *s, uint32_t *depth)
{
    struct worker *w = &shared.workers[0];
    PASS(s, w->states);
    PASS(s, w->transitions);
    PASS(s, w->fresh);
    PASS(s, w->orbits);
    PASS(s, w->out);
    PASS(s, w->has_out);
    PASS(s, shared.count);
    PASS(s, shared.queue);
    PASS(s, shared.cut);
    PASS(s, *depth);
    pass(s, shared.model->executed, shared.model->n_actions);
    pass(s, shared.reported, shared.model->n_sites + 1);
    PASS(s, findings.length);
    if (findings.length && !s->error) {
        if (!s->writing) {
            findings.text = malloc(findings.length);
            s->error = findings.text ? 0 : ENOMEM;
        }
        pass(s, findings.text, findings.length);
    }
}

static void pass_table(struct stream *s)
{
    struct table *t = &shared.table;
    unsigned bits = t->line_bits;
    bool quotient = t->quotient;
    PASS(s, bits);
    PASS(s, quotient);
    if (!s->writing && !s->error && !table_open(bits, quotient)) {
        stop_because(END_MEMORY);
        s->error = ENOMEM;
        return;
    }
    PASS(s, t->squeeze);
    pass(s, t->slots, (sizeof(word) * LINE) << bits);
}

static void pass_side(struct stream *s)
{
    struct side *side = &shared.side;
    bool some = side->states != NULL;
    PASS(s, some);
    if (!some) {
        return;
    }
    PASS(s, side->mask);
    PASS(s, side->count);
    size_t bytes = (side->mask + 1) * shared.model->key_words * sizeof(word);
    side->states = place(s, side->states, bytes);
    side->used = place(s, side->used, side->mask + 1);
    pass(s, side->states, bytes);
    pass(s, side->used, side->mask + 1);
}

static void pass_big(struct stream *s, uint32_t **array)
{
    bool some = *array != NULL;
    PASS(s, some);
    if (some) {
        size_t bytes = shared.model->chunk_size * sizeof **array;
        *array = place(s, *array, bytes);
        pass(s, *array, bytes);
    }
}

static void pass_segments(struct stream *s, struct chunk *c)
{
    PASS(s, c->n_segments);
    if (!s->writing && c->n_segments && !s->error) {
        c->room_segments = c->n_segments;
        c->segments = malloc(c->n_segments * sizeof *c->segments);
        s->error = c->segments ? 0 : ENOMEM;
    }
    pass(s, c->segments, c->n_segments * sizeof *c->segments);
}

static void pass_chunk(struct stream *s, uint32_t number)
{
    struct chunk *c = shared.chunks[number];
    bool states = c->states != NULL;
    PASS(s, states);
    PASS(s, c->used);
    PASS(s, c->consumed);
    if (states) {
        pass(s, c->states, (size_t)c->used * shared.model->key_words * sizeof(word));
    } else if (!s->writing) {
        chunk_forget(c);
    }
    pass(s, c->order, c->used);
    pass(s, c->kids, c->used);
    pass_big(s, &c->big_order);
    pass_big(s, &c->big_kids);
    pass_segments(s, c);
}

static void pass_chunks(struct stream *s)
{
    uint32_t n = shared.n_chunks;
    PASS(s, n);
    for (uint32_t i = 0; i < n && !s->error; i++) {
        if (!s->writing && chunk_new() != i) {
            s->error = ENOMEM;
            return;
        }
        pass_chunk(s, i);
    }
}

static void pass_frontier(struct stream *s, uint32_t *next)
{
    uint32_t length = frontier.length;
    PASS(s, length);
    PASS(s, *next);
    for (uint32_t i = 0; i < length && !s->error; i++) {
        struct range r = {0};
        if (s->writing) {
            r = frontier.level[i];
        }
        PASS(s, r);
        if (!s->writing) {
            add_range(r);
        }
    }
    PASS(s, frontier.first);
    PASS(s, frontier.done_room);
    if (!s->writing && !s->error) {
        frontier.done = calloc(frontier.done_room + 1, sizeof *frontier.done);
        s->error = frontier.done ? 0 : ENOMEM;
    }
    pass(s, frontier.done, frontier.done_room * sizeof *frontier.done);
}

static void pass_all(struct stream *s, uint32_t *next, uint32_t *depth)
{
    pass_counts(s, depth);
    pass_table(s);
    pass_side(s);
    pass_chunks(s);
    pass_frontier(s, next);
}

/* ------------------------------------------------------------------------------------------- writing */

void checkpoint_begin(void) { last_written = now(); }

/* A violation that was reported: a search that continues this one must report it too. */
void checkpoint_finding(const char *text, size_t length)
{
    char *longer = realloc(findings.text, findings.length + length);
    if (longer == NULL) {
        out_of_memory();
    }
    memcpy(longer + findings.length, text, length);
    findings.text = longer;
    findings.length += length;
}

/* What was told so far. */
const char *checkpoint_findings(size_t *length)
{
    *length = findings.length;
    return findings.text ? findings.text : "";
}

static void write_text(struct stream *s, const char *text) { pass(s, (void *)(uintptr_t)text, strlen(text)); }

static int write_file(const char *path, uint32_t next, uint32_t depth)
{
    struct stream s = {.file = fopen(path, "wb"), .writing = true, .sum = SUM_OF_NOTHING};
    if (s.file == NULL) {
        return errno;
    }
    s.block = malloc(BLOCK);
    s.error = s.block ? 0 : ENOMEM;
    write_text(&s, checkpoint.head);
    write_text(&s, "\n");
    pass_all(&s, &next, &depth);
    if (!s.error) {
        write_block(&s);
    }
    if (!s.error && (fwrite(&s.sum, sizeof s.sum, 1, s.file) != 1 || fflush(s.file) || fsync(fileno(s.file)))) {
        s.error = errno;
    }
    if (fclose(s.file) && !s.error) {
        s.error = errno;
    }
    free(s.block);
    return s.error;
}

/* SOUND: others see the old file or the whole new one.  `next` is the range of the level that comes next. */
void checkpoint_write(uint32_t next, uint32_t depth)
{
    size_t length = strlen(checkpoint.path);
    char *part = malloc(length + sizeof ".part");
    if (part == NULL) {
        return;
    }
    memcpy(part, checkpoint.path, length);
    memcpy(part + length, ".part", sizeof ".part");
    int error = write_file(part, next, depth);
    if (!error && rename(part, checkpoint.path)) {
        error = errno;
    }
    if (error) {
        (void)unlink(part);
        if (!complained) {
            printf("{\"warning\":\"no checkpoint could be written: %s\"}\n", strerror(error));
        }
        complained = true;
    } else {
        complained = false;
        printf("{\"saved\":%u}\n", depth);
    }
    fflush(stdout);
    free(part);
    last_written = now();
}

void checkpoint_when_due(uint32_t next)
{
    if (now() - last_written >= checkpoint.interval) {
        checkpoint_write(next, shared.depth);
    }
}

/* After a stop: was it one that a search may continue from? */
bool checkpoint_possible(void)
{
    static const char *const reasons[] = {"interrupted", "time", "memory", "states", "depth"};
    for (size_t i = 0; !CLUSTER && checkpoint.path && shared.stop && i < sizeof reasons / sizeof *reasons; i++) {
        if (!strcmp(shared.why, reasons[i])) {
            signal(SIGINT, SIG_IGN); /* it is stopping */
            signal(SIGTERM, SIG_IGN);
            signal(SIGHUP, SIG_IGN);
            shared.max_memory = UINT64_MAX; /* the little that is needed to save */
            return true;
        }
    }
    return false;
}

/* The search stopped somewhere in a range: it goes on with the first state of which something may be missing.
   SOUND: what is stored of its successors are the first ones, in order, so the log of parents continues as if nothing
   had been; the transitions are counted anew up to that state. */
void checkpoint_cut(struct worker *w, uint32_t at, uint64_t transitions)
{
    struct range r = frontier.level[at];
    uint32_t from = w->in_index;
    if (w->lost && w->lost - 1 < from) {
        from = w->lost - 1;
    }
    add_range((struct range){0});
    memmove(frontier.level + at + 1, frontier.level + at, (frontier.length - 1 - at) * sizeof r);
    frontier.level[at].end = from;
    frontier.level[at + 1].begin = from;
    frontier.next = at + 1;
    w->transitions = transitions + count_again(r.chunk, r.begin, from);
}

/* ------------------------------------------------------------------------------------------- reading */

/* Reads the file once to see whether it is whole. */
static bool is_whole(struct stream *s)
{
    if (fseek(s->file, 0, SEEK_END)) {
        return false;
    }
    long left = ftell(s->file) - (long)sizeof s->sum;
    if (left < 0 || fseek(s->file, 0, SEEK_SET)) {
        return false;
    }
    struct sum sum = SUM_OF_NOTHING, written;
    while (left > 0) {
        size_t n = left < BLOCK ? (size_t)left : (size_t)BLOCK;
        if (fread(s->block, 1, n, s->file) != n) {
            return false;
        }
        sum_add(&sum, s->block, n);
        left -= (long)n;
    }
    return fread(&written, sizeof written, 1, s->file) == 1 && !memcmp(&written, &sum, sizeof sum) &&
           !fseek(s->file, 0, SEEK_SET);
}

/* SOUND: the layout of the states is that of the head that was looked at, not of a file that took its place since. */
static bool has_head(struct stream *s)
{
    char c;
    for (const char *expected = checkpoint.resume_head; *expected; expected++) {
        pass(s, &c, 1);
        if (s->error || c != *expected) {
            return false;
        }
    }
    pass(s, &c, 1);
    return !s->error && c == '\n';
}

static void refuse(const char *why)
{
    printf("{\"refused\":\"%s\"}\n", why);
    fflush(stdout);
    exit(0);
}

/* Continues where the file ends; false if there is no memory for that. */
bool checkpoint_read(void)
{
    struct stream s = {.file = fopen(checkpoint.resume, "rb"), .block = malloc(BLOCK)};
    if (s.file == NULL || s.block == NULL) {
        refuse(strerror(errno));
    }
    if (!is_whole(&s) || !has_head(&s)) {
        refuse("the file is damaged");
    }
    pass_all(&s, &frontier.next, &shared.depth);
    fclose(s.file);
    free(s.block);
    if (s.error == -1) {
        refuse("the file is damaged");
    }
    if (s.error) {
        stop_because(END_MEMORY);
        return false;
    }
    if (findings.length) {
        fwrite(findings.text, 1, findings.length, stdout);
        fflush(stdout);
    }
    return true;
}
