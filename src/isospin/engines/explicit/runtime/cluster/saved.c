/* A search by many ranks on disk, and back, with as many ranks as there are then.

   Reference: none.
   Differs: nothing is written twice.  Every rank has a file of its own that only grows: each of its states once, level
   by level, with the place of its parent.  A small file, the manifest, says how far all of these are valid, and takes
   the place of the one before.  So the files are also the log of parents for whoever goes on: a search that was resumed
   is a new generation with files of its own, whose first states stand for states of the generation before.

   SOUND: the manifest is written when the states are on the disk, and others see the old one or the whole new one.
   What stands in a file behind its length in the manifest is not looked at. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "search/modes.h"

enum { NAME = 4096, BUFFER = 1 << 20, MOST_RANKS = 1 << 16 };

/* What is known of the file of one rank. */
struct file {
    uint64_t records, fresh; /* states; of these, those of the level that comes next */
    struct sum sum;
};

struct generation {
    uint32_t ranks;
    struct file *files;
};

static struct manifest {
    struct generation *generations;
    uint32_t length;
} history;

/* The search as it was when the present level began. */
static struct snapshot {
    bool valid;
    uint32_t depth;
    size_t told; /* length of the text of findings */
    struct {
        struct file file;
        uint64_t states, transitions, cut, broken;
    } own;
    uint8_t *executed, *reported;
} snapshot;

static struct {
    FILE *file;
    char *buffer;
    struct file written;
    int error;
    double when;
    bool loaded; /* the level that comes next is one that was loaded */
} saving;

static size_t record_words(void) { return shared.model->key_words + 2; }

static void name_of(char *name, const char *folder, uint32_t generation, uint32_t rank)
{
    (void)snprintf(name, NAME, "%s/%u.%u", folder, generation, rank);
}

/* ------------------------------------------------------------------------------------------- writing states */

static void fail(int error)
{
    static char why[128];
    if (!saving.error) {
        saving.error = error ? error : EIO;
        (void)snprintf(why, sizeof why, "no checkpoint can be written: %s", strerror(saving.error));
        stop_because(why);
    }
}

/* SOUND: where a new search begins, the files of another one are about to be written over; its manifest goes first. */
static void forget_manifest(void)
{
    char name[NAME];
    MPI_Request request;
    (void)snprintf(name, NAME, "%s/manifest", checkpoint.path);
    if (cluster.rank == 0) {
        (void)unlink(name);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    cluster_wait(&request);
}

static void open_file(void)
{
    char name[NAME];
    if (history.length == 0) {
        forget_manifest();
    }
    name_of(name, checkpoint.path, history.length, cluster.rank);
    saving.file = fopen(name, "wb");
    saving.written.sum = SUM_OF_NOTHING;
    if (saving.file == NULL) {
        fail(errno);
        return;
    }
    saving.buffer = malloc(BUFFER);
    (void)setvbuf(saving.file, saving.buffer, saving.buffer ? _IOFBF : _IONBF, BUFFER);
}

static void write_record(const word *state, uint64_t parent, uint32_t order, uint32_t from)
{
    const unsigned words = shared.model->key_words;
    word record[words + 2];
    memcpy(record, state, words * sizeof(word));
    record[words] = parent << ORDER_BITS | order;
    record[words + 1] = from;
    sum_add(&saving.written.sum, (const unsigned char *)record, sizeof record);
    if (!saving.error && fwrite(record, sizeof record, 1, saving.file) != 1) {
        fail(errno);
    }
    saving.written.records++;
    saving.written.fresh++;
}

static void write_range(struct range r)
{
    const struct chunk *c = shared.chunks[r.chunk];
    uint64_t parent = 0;
    uint32_t from = 0, s = 0;
    for (uint32_t i = 0; i < r.end; i++) {
        if (s < c->n_segments && c->segments[s].start == i) {
            from = c->segments[s].from;
            parent = (uint64_t)c->segments[s].skip << 32 | c->segments[s].first;
            s++;
        } else {
            parent += c->kids[i];
        }
        if (i >= r.begin) {
            write_record(c->states + (size_t)i * shared.model->key_words, parent, order_at(r.chunk, i), from);
        }
    }
}

static uint8_t *copied(uint8_t *old, const uint8_t *from, size_t bytes)
{
    uint8_t *copy = old ? old : malloc(bytes + 1);
    if (copy == NULL) {
        out_of_memory();
    }
    memcpy(copy, from, bytes);
    return copy;
}

static void take_snapshot(void)
{
    const struct worker *w = &shared.workers[0];
    struct snapshot *s = &snapshot;
    s->valid = true;
    s->depth = shared.depth;
    (void)checkpoint_findings(&s->told);
    s->own.file = saving.written;
    s->own.states = cluster.stored;
    s->own.transitions = w->transitions;
    s->own.cut = shared.cut;
    s->own.broken = saving.error != 0;
    s->executed = copied(s->executed, shared.model->executed, shared.model->n_actions);
    s->reported = copied(s->reported, shared.reported, shared.model->n_sites + 1);
}

/* ------------------------------------------------------------------------------------------- the manifest */

static void print_files(FILE *out, const struct generation *g)
{
    fprintf(out, "generation %u\n", g->ranks);
    for (uint32_t i = 0; i < g->ranks; i++) {
        const struct file *f = &g->files[i];
        fprintf(out, "%llu %llu %llx %llx %llu\n", (unsigned long long)f->records, (unsigned long long)f->fresh,
                (unsigned long long)f->sum.first, (unsigned long long)f->sum.second, (unsigned long long)f->sum.bytes);
    }
}

static void print_flags(FILE *out, const char *name, const uint8_t *flags, size_t count)
{
    fprintf(out, "%s ", name);
    for (size_t i = 0; i < count; i++) {
        putc('0' + (flags[i] != 0), out);
    }
    putc('\n', out);
}

static int store(const char *text, size_t length)
{
    char part[NAME], name[NAME];
    (void)snprintf(part, NAME, "%s/manifest.part", checkpoint.path);
    (void)snprintf(name, NAME, "%s/manifest", checkpoint.path);
    FILE *file = fopen(part, "wb");
    if (file == NULL) {
        return errno;
    }
    bool fine = fwrite(text, 1, length, file) == length && !fflush(file) && !fsync(fileno(file));
    int error = fine ? 0 : errno;
    if (fclose(file) && !error) {
        error = errno;
    }
    if (!error && rename(part, name)) {
        error = errno;
    }
    const int folder = error ? -1 : open(checkpoint.path, O_RDONLY);
    if (folder >= 0) {
        (void)fsync(folder);
        (void)close(folder);
    }
    return error;
}

static int write_manifest(struct generation present, const uint64_t *sums)
{
    char *text = NULL;
    size_t length = 0;
    struct sum sum = SUM_OF_NOTHING;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return ENOMEM;
    }
    fprintf(out, "%s\ndepth %u\ncounts %llu %llu %llu\n", checkpoint.head, snapshot.depth, (unsigned long long)sums[0],
            (unsigned long long)sums[1], (unsigned long long)sums[2]);
    print_flags(out, "executed", snapshot.executed, shared.model->n_actions);
    print_flags(out, "reported", snapshot.reported, shared.model->n_sites + 1);
    fprintf(out, "generations %u\n", history.length + 1);
    for (uint32_t i = 0; i < history.length; i++) {
        print_files(out, &history.generations[i]);
    }
    print_files(out, &present);
    fprintf(out, "findings %zu\n", snapshot.told);
    size_t all = 0;
    fwrite(checkpoint_findings(&all), 1, snapshot.told, out);
    fflush(out);
    sum_add(&sum, (const unsigned char *)text, length);
    fprintf(out, "sum %llx %llx\n", (unsigned long long)sum.first, (unsigned long long)sum.second);
    const int error = fclose(out) ? ENOMEM : store(text, length);
    free(text);
    return error;
}

/* On the first rank: what all have written, or an error that one of them had. */
static void tell_saved(const void *all)
{
    const typeof(snapshot.own) *said = all;
    struct generation present = {cluster.size, calloc(cluster.size, sizeof(struct file))};
    uint64_t sums[3] = {0};
    bool broken = present.files == NULL;
    for (uint32_t i = 0; i < cluster.size && !broken; i++) {
        present.files[i] = said[i].file;
        sums[0] += said[i].states;
        sums[1] += said[i].transitions;
        sums[2] |= said[i].cut;
        broken = said[i].broken;
    }
    const int error = broken ? 0 : write_manifest(present, sums);
    if (error) {
        fail(error);
    } else if (!broken) {
        printf("{\"saved\":%u}\n", snapshot.depth);
        fflush(stdout);
    }
    free(present.files);
}

static void merge_flags(uint8_t *flags, size_t count)
{
    MPI_Request request;
    void *from = cluster.rank == 0 ? MPI_IN_PLACE : flags;
    MPI_Ireduce(from, flags, (int)count, MPI_UINT8_T, MPI_BOR, 0, MPI_COMM_WORLD, &request);
    cluster_wait(&request);
}

/* All ranks: the search as it was when the level began is what a later one goes on with. */
static void commit(void)
{
    MPI_Request request;
    if (!saving.error && (fflush(saving.file) || fsync(fileno(saving.file)))) {
        fail(errno);
    }
    snapshot.own.broken = saving.error != 0;
    void *all = cluster.rank == 0 ? calloc(cluster.size, sizeof snapshot.own) : NULL;
    if (cluster.rank == 0 && all == NULL) {
        out_of_memory();
    }
    MPI_Igather(&snapshot.own, sizeof snapshot.own, MPI_BYTE, all, sizeof snapshot.own, MPI_BYTE, 0, MPI_COMM_WORLD,
                &request);
    cluster_wait(&request);
    merge_flags(snapshot.executed, shared.model->n_actions);
    merge_flags(snapshot.reported, shared.model->n_sites + 1);
    if (cluster.rank == 0) {
        tell_saved(all);
    }
    free(all);
    snapshot.valid = false;
    saving.when = now();
}

/* A level is about to begin: all of its states are written, and others may go on from here. */
void cluster_save_level(bool due)
{
    if (checkpoint.path == NULL) {
        return;
    }
    if (saving.file == NULL && !saving.error) {
        open_file();
    }
    saving.written.fresh = 0;
    for (uint32_t i = 0; i < frontier.length && !saving.error; i++) {
        write_range(frontier.level[i]);
    }
    if (saving.loaded) { /* SOUND: these states are saved already, in the generation before */
        saving.loaded = false;
        return;
    }
    take_snapshot();
    if (due) {
        commit();
    }
}

/* Asked on every rank; the answer of the first one counts. */
bool cluster_save_due(void) { return checkpoint.path && now() - saving.when >= checkpoint.interval; }

/* The search stops in the middle of a level, which begins anew when it goes on. */
void cluster_save_stopped(void)
{
    if (checkpoint.path && snapshot.valid) {
        commit();
    }
}

/* ------------------------------------------------------------------------------------------- reading */

static void refuse(const char *why)
{
    printf("{\"refused\":\"%s\"}\n", why);
    fflush(stdout);
    cluster_abort();
}

static char *whole_text(size_t *length)
{
    char name[NAME], *text = NULL;
    (void)snprintf(name, NAME, "%s/manifest", checkpoint.resume);
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END)) {
        refuse(strerror(errno));
    }
    const long bytes = ftell(file);
    rewind(file);
    text = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
    if (text == NULL || fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        refuse("the file is damaged");
    }
    fclose(file);
    text[bytes] = 0;
    *length = (size_t)bytes;
    return text;
}

/* SOUND: all bytes of the manifest are covered by the sum in its last line. */
static bool is_whole(const char *text)
{
    unsigned long long first, second;
    const char *last = NULL;
    struct sum sum = SUM_OF_NOTHING;
    for (const char *at = text; (at = strstr(at, "\nsum ")) != NULL; at++) {
        last = at + 1;
    }
    if (last == NULL || sscanf(last, "sum %llx %llx", &first, &second) != 2) {
        return false;
    }
    sum_add(&sum, (const unsigned char *)text, (size_t)(last - text));
    return sum.first == first && sum.second == second;
}

static bool read_files(FILE *in, struct generation *g)
{
    if (fscanf(in, " generation %u", &g->ranks) != 1 || g->ranks == 0 || g->ranks > MOST_RANKS) {
        return false;
    }
    g->files = calloc(g->ranks, sizeof *g->files);
    for (uint32_t i = 0; g->files && i < g->ranks; i++) {
        unsigned long long n[5];
        if (fscanf(in, "%llu %llu %llx %llx %llu", &n[0], &n[1], &n[2], &n[3], &n[4]) != 5) {
            return false;
        }
        g->files[i] = (struct file){n[0], n[1], {n[2], n[3], n[4]}};
    }
    return g->files != NULL;
}

static bool read_flags(FILE *in, const char *name, uint8_t *flags, size_t count)
{
    char word[16];
    if (fscanf(in, " %15s ", word) != 1 || strcmp(word, name)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const int c = getc(in);
        if (c != '0' && c != '1') {
            return false;
        }
        flags[i] |= c == '1';
    }
    return true;
}

static void tell_again(FILE *in, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (text == NULL || fread(text, 1, bytes, in) != bytes) {
        refuse("the file is damaged");
    }
    fwrite(text, 1, bytes, stdout);
    fflush(stdout);
    checkpoint_finding(text, bytes);
    free(text);
}

/* What the manifest says, without the states; how many of them there are. */
static uint64_t read_manifest(void)
{
    size_t length, findings = 0;
    char *text = whole_text(&length);
    const size_t head = strlen(checkpoint.resume_head);
    unsigned long long states, transitions, cut;
    if (!is_whole(text) || strncmp(text, checkpoint.resume_head, head) || text[head] != '\n') {
        refuse("the file is damaged");
    }
    FILE *in = fmemopen(text + head, length - head, "r");
    bool fine = in && fscanf(in, " depth %u counts %llu %llu %llu", &shared.depth, &states, &transitions, &cut) == 4 &&
                read_flags(in, "executed", shared.model->executed, shared.model->n_actions) &&
                read_flags(in, "reported", shared.reported, shared.model->n_sites + 1) &&
                fscanf(in, " generations %u", &history.length) == 1 && history.length > 0;
    history.generations = fine ? calloc(history.length, sizeof *history.generations) : NULL;
    for (uint32_t i = 0; history.generations && fine && i < history.length; i++) {
        fine = read_files(in, &history.generations[i]);
    }
    if (!fine || !history.generations || fscanf(in, " findings %zu", &findings) != 1 || getc(in) != '\n') {
        refuse("the file is damaged");
    }
    if (cluster.rank == 0) {
        shared.workers[0].transitions += transitions;
        shared.cut |= (unsigned)cut;
        tell_again(in, findings);
    }
    fclose(in);
    free(text);
    return states;
}

/* Sends the states of a file to their owners: those from number `begin` on.  Those before only count for the sum. */
static void send_file(uint32_t generation, uint32_t rank, uint64_t begin, uint64_t end)
{
    char name[NAME];
    const struct file *f = &history.generations[generation].files[rank];
    struct sum sum = SUM_OF_NOTHING;
    word record[record_words()];
    name_of(name, checkpoint.resume, generation, rank);
    FILE *file = fopen(name, "rb");
    for (uint64_t i = 0; file && i < f->records && fread(record, sizeof record, 1, file) == 1; i++) {
        sum_add(&sum, (const unsigned char *)record, sizeof record);
        if (i >= begin && i < end && !shared.stop) {
            send_saved(&shared.workers[0], record, i << ORDER_BITS);
        }
    }
    if (file == NULL || memcmp(&sum, &f->sum, sizeof sum)) {
        refuse("a file of a rank is damaged, or not there");
    }
    fclose(file);
}

/* All states but those of the level that comes next. */
static void load_old(void)
{
    uint32_t number = 0;
    cluster.loading = LOADING_OLD;
    for (uint32_t g = 0; g < history.length; g++) {
        for (uint32_t r = 0; r < history.generations[g].ranks; r++) {
            const struct file *f = &history.generations[g].files[r];
            if (number++ % cluster.size == cluster.rank) {
                send_file(g, r, 0, f->records - (g + 1 == history.length ? f->fresh : 0));
            }
        }
    }
    cluster_end_level(&shared.workers[0]);
}

/* The last place of this rank. */
static uint64_t places(void)
{
    return shared.n_chunks == 0
               ? 0
               : (uint64_t)(shared.n_chunks - 1) * shared.model->chunk_size + shared.chunks[shared.n_chunks - 1]->used;
}

/* SOUND: what is in chunks by now was expanded before, or is nowhere but in the table. */
static void close_chunks(void)
{
    frontier.done_room = shared.n_chunks + 1;
    frontier.done = calloc(frontier.done_room, sizeof *frontier.done);
    if (frontier.done == NULL) {
        out_of_memory();
    }
    for (uint32_t i = 0; i < shared.n_chunks; i++) {
        struct chunk *c = shared.chunks[i];
        frontier.done[i] = c->consumed = c->used;
        const bool filled = c->used == shared.model->chunk_size && c != shared.workers[0].filling;
        if (c->states && filled && shared.table.quotient) {
            chunk_forget(c);
        }
    }
    cluster.base = places();
}

/* The ranks take the files of the last generation in turn, so that all know whose states come.
   SOUND: nobody sends before all ranks know what comes next. */
static void load_level(void)
{
    const uint32_t last = history.length - 1;
    MPI_Request request;
    for (uint32_t r = 0; r < history.generations[last].ranks; r++) {
        const struct file *f = &history.generations[last].files[r];
        cluster.loading = ARCHIVED | last << 16 | r;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        cluster_wait(&request);
        if (r % cluster.size == cluster.rank) {
            send_file(last, r, f->records - f->fresh, f->records);
        }
        cluster_end_level(&shared.workers[0]);
    }
    cluster.loading = 0;
}

static uint64_t fresh_records(void)
{
    const struct generation *last = &history.generations[history.length - 1];
    uint64_t fresh = 0;
    for (uint32_t i = 0; i < last->ranks; i++) {
        fresh += last->files[i].fresh;
    }
    return fresh;
}

/* Goes on with a search that was saved, by any number of ranks.  SOUND: as many states, and as many of them to expand,
   as there were. */
void cluster_load(void)
{
    enum { STORED, WAITING, STOPS, FACTS };
    uint64_t expected = read_manifest(), all[FACTS] = {0};
    MPI_Request request;
    load_old();
    close_chunks();
    load_level();
    const uint64_t mine[FACTS] = {shared.workers[0].states, places() - cluster.base, shared.stop};
    MPI_Iallreduce(mine, all, FACTS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    cluster_wait(&request);
    saving.loaded = true;
    if ((all[STORED] != expected || all[WAITING] != fresh_records()) && !all[STOPS]) {
        refuse("the states of the ranks are not those of the manifest");
    }
    saving.when = now();
}

/* The place of a state in an earlier generation: its parent there, or the state that it stands for. */
struct step archived_step(uint32_t archive, uint64_t place)
{
    char name[NAME];
    word record[record_words()];
    const unsigned words = shared.model->key_words;
    name_of(name, checkpoint.resume, archive >> 16 & 0x7FFF, archive & 0xFFFF);
    FILE *file = fopen(name, "rb");
    if (!file || fseeko(file, (off_t)(place * sizeof record), SEEK_SET) || fread(record, sizeof record, 1, file) != 1) {
        refuse("a file of a rank is damaged, or not there");
    }
    fclose(file);
    const uint32_t order = (uint32_t)record[words] & ((1U << ORDER_BITS) - 1), from = (uint32_t)record[words + 1];
    return (struct step){record[words] >> ORDER_BITS, from, order};
}
