/* What went wrong, and the way there, which leads over all ranks.

   Reference: none.
   Differs: a rank knows of each of its states the rank and the number of the parent.  When the level has ended, the
   first rank asks its way back from rank to rank, and then runs the path again by itself. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "search/modes.h"

enum { FOUND = 10, QUESTION, ANSWER };

struct finding {
    uint64_t site, place;
    uint32_t rank;
    char *tail; /* the steps behind the state */
};

static struct {
    struct finding *items;
    uint64_t length;
} found;

/* ------------------------------------------------------------------------------------------- noting */

static char *tail_of(const struct worker *w, const struct choice *last)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        out_of_memory();
    }
    if (last != NULL) {
        tail_print(w, last, out);
    }
    if (fclose(out)) {
        out_of_memory();
    }
    return text;
}

static void add_finding(struct finding f)
{
    found.items = realloc(found.items, (found.length + 1) * sizeof *found.items);
    if (found.items == NULL) {
        out_of_memory();
    }
    found.items[found.length++] = f;
}

/* Called for each site once. */
void cluster_finding(struct worker *w, uint32_t site, const struct choice *last)
{
    const uint64_t place = (uint64_t)w->in_chunk * shared.model->chunk_size + w->in_index - cluster.base;
    add_finding((struct finding){site, place, cluster.rank, tail_of(w, last)});
}

uint64_t cluster_findings(void) { return found.length; }

static void forget_findings(void)
{
    for (uint64_t i = 0; i < found.length; i++) {
        free(found.items[i].tail);
    }
    found.length = 0;
}

/* ------------------------------------------------------------------------------------------- the way back */

static struct step step_to(uint64_t place)
{
    place += cluster.base;
    const uint32_t index = (uint32_t)(place % shared.model->chunk_size),
                   number = (uint32_t)(place / shared.model->chunk_size);
    const struct chunk *c = shared.chunks[number];
    uint32_t s = c->n_segments - 1;
    while (c->segments[s].start > index) {
        s--;
    }
    const struct segment *g = &c->segments[s];
    uint64_t parent = (uint64_t)g->skip << 32 | g->first;
    for (uint32_t i = g->start + 1; i <= index; i++) {
        parent += c->kids[i];
    }
    return (struct step){parent, g->from, order_at(number, index)};
}

static void pass(void *data, size_t bytes, uint32_t rank, int tag, bool sends)
{
    MPI_Request request;
    if (sends) {
        MPI_Isend(data, (int)bytes, MPI_BYTE, (int)rank, tag, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(data, (int)bytes, MPI_BYTE, (int)rank, tag, MPI_COMM_WORLD, &request);
    }
    cluster_wait(&request);
}

/* SOUND: places of an earlier generation are among its own ranks. */
static struct step ask(uint32_t rank, uint64_t place)
{
    struct step answer;
    if (rank & ARCHIVED) {
        answer = archived_step(rank, place);
        answer.rank = answer.rank & ARCHIVED ? answer.rank : (rank & ~0xFFFFU) | answer.rank;
        return answer;
    }
    if (rank == 0) {
        return step_to(place);
    }
    pass(&place, sizeof place, rank, QUESTION, true);
    pass(&answer, sizeof answer, rank, ANSWER, false);
    return answer;
}

/* SOUND: UINT64_MAX is the place of no state; it says that there are no more questions. */
static void answer_questions(void)
{
    uint64_t place;
    for (;;) {
        pass(&place, sizeof place, 0, QUESTION, false);
        if (place == UINT64_MAX) {
            return;
        }
        struct step answer = step_to(place);
        pass(&answer, sizeof answer, 0, ANSWER, true);
    }
}

/* ------------------------------------------------------------------------------------------- telling */

static void tell(const struct finding *f, const uint32_t *orders, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        out_of_memory();
    }
    fprintf(out, "{\"finding\":%u,", (unsigned)f->site);
    orders_print(orders, count, f->tail, out);
    fprintf(out, "}\n");
    if (fclose(out)) {
        out_of_memory();
    }
    fwrite(text, 1, length, stdout);
    fflush(stdout);
    checkpoint_finding(text, length);
    free(text);
}

static void print_finding(const struct finding *f)
{
    uint32_t *orders = NULL;
    size_t count = 0, room = 0;
    struct step at = {f->place, f->rank, 0};
    do {
        const uint32_t from = at.rank;
        at = ask(from, at.place);
        if (at.rank != UINT32_MAX && at.rank & ARCHIVED && at.rank >> 16 != from >> 16) {
            continue; /* the same state, in an earlier generation */
        }
        if (count == room) {
            room = 2 * room + 256;
            orders = realloc(orders, room * sizeof *orders);
        }
        if (orders == NULL) {
            out_of_memory();
        }
        orders[count++] = at.order;
    } while (at.rank != UINT32_MAX);
    tell(f, orders, count);
    free(orders);
}

/* Each site once; of a search for one violation, the first. */
static void print_findings(void)
{
    static uint8_t *told;
    static bool any;
    told = told ? told : calloc(shared.model->n_sites + 1, 1);
    for (uint64_t i = 0; told && i < found.length; i++) {
        const struct finding *f = &found.items[i];
        if (!told[f->site] && (shared.all_errors || !any)) {
            told[f->site] = 1;
            any = true;
            print_finding(f);
        }
    }
}

/* Findings go to the first rank as numbers (how many; site, place and length of each) and texts. */
static void send_findings(void)
{
    pass(&found.length, sizeof found.length, 0, FOUND, true);
    for (uint64_t i = 0; i < found.length; i++) {
        struct finding *f = &found.items[i];
        uint64_t head[] = {f->site, f->place, strlen(f->tail) + 1};
        pass(head, sizeof head, 0, FOUND, true);
        pass(f->tail, head[2], 0, FOUND, true);
    }
}

static void collect_findings(uint32_t rank)
{
    uint64_t length, head[3];
    pass(&length, sizeof length, rank, FOUND, false);
    for (uint64_t i = 0; i < length; i++) {
        pass(head, sizeof head, rank, FOUND, false);
        char *tail = malloc(head[2]);
        if (tail == NULL) {
            out_of_memory();
        }
        pass(tail, head[2], rank, FOUND, false);
        add_finding((struct finding){head[0], head[1], rank, tail});
    }
}

/* All findings are collected before the first question: who sends one does not answer. */
void cluster_tell_findings(void)
{
    uint64_t enough = UINT64_MAX;
    if (cluster.rank != 0) {
        send_findings();
        answer_questions();
    } else {
        for (uint32_t rank = 1; rank < cluster.size; rank++) {
            collect_findings(rank);
        }
        print_findings();
        for (uint32_t rank = 1; rank < cluster.size; rank++) {
            pass(&enough, sizeof enough, rank, QUESTION, true);
        }
    }
    forget_findings();
}
