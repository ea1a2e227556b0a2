/* Messages between the ranks of a search, and what they agree on.

   Reference: Stern and Dill, "Parallelizing the Murphi verifier" (1997), for messages of many states.
   Differs: levels end by counting messages, so nobody asks in rounds whether all are idle; a rank that has to wait
   takes in what comes, so that nobody waits for ever.

   SOUND: a level begins when all ranks have taken in all that was sent in the level before.  What a rank decides
   between two levels it decides by what all have told all, never by a flag of its own that a signal may change. */
#include <mpi.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "search/modes.h"

enum { STATES, CONTROL };
enum { BATCH_BYTES = 1 << 16, LEAST_BYTES = 1 << 12, RECEIVES = 8, WHY = 160, NEWS_SHARE = 16 };
enum { SPINS = 20, SHORT = 5000, LONG = 200000 /* nanoseconds */, LOOKS = 64 };

struct cluster cluster;

/* To all: stop.  To the first rank: what was counted. */
struct control {
    uint64_t stop;
    struct counts counts;
};

/* What a rank has to say at the end. */
struct last_words {
    struct counts counts;
    unsigned __int128 orbits;
    uint64_t peak, quotient, cut;
    int32_t overflow[3];
    char why[WHY];
};

static struct incoming {
    MPI_Request requests[RECEIVES + 1]; /* the last one is for CONTROL */
    word *batches[RECEIVES];
    struct control control;
    uint64_t states, controls; /* messages: of this level, of the whole search */
} incoming;

static struct sending {
    MPI_Request *requests;
    word **batches;         /* by request */
    word **spare;           /* those that nobody uses */
    uint32_t room, n_spare; /* requests; batches */
    uint64_t *states, *controls; /* messages for each rank: of this level, of the whole search */
} sending;

static struct telling {
    struct control stop, news;
    MPI_Request *stops, news_request;
    bool told, closed; /* that we stop; nothing is told any more */
    uint64_t states; /* when news were sent last */
    double when;
} telling;

static struct counts *known; /* on the first rank: what each of the others said last, */
static double *heard;        /* and when */
static size_t batch_bytes;

static size_t record_bytes(void) { return (shared.model->key_words + 1) * sizeof(word); }

/* ------------------------------------------------------------------------------------------- beginning */

/* Others may need the processor: who sleeps is woken sooner than who gives way, and MPI itself only gives way. */
static void nap(uint32_t idle)
{
    if (idle > SPINS) {
        const long moment = SHORT * (long)(idle - SPINS);
        nanosleep(&(struct timespec){0, moment < LONG ? moment : LONG}, NULL);
    }
}

/* For what is agreed on before and after the search, when no states are on their way. */
static void wait_for(MPI_Request *request)
{
    int done = 0;
    for (uint32_t idle = 0; !done; idle++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            nap(idle);
        }
    }
}

void cluster_begin(int *argc, char ***argv)
{
    int rank, size;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cluster.rank = (uint32_t)rank;
    cluster.size = (uint32_t)size;
    MPI_Request all_there;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_there);
    wait_for(&all_there);
    cluster_forget_names();
    cluster.started = cpu_time();
}

static bool open_outgoing(void)
{
    const uint32_t room = 2 * cluster.size;
    sending = (struct sending){.requests = calloc(room, sizeof *sending.requests),
                               .batches = calloc(room, sizeof(word *)),
                               .spare = calloc(room, sizeof(word *)),
                               .room = room,
                               .states = calloc(cluster.size, sizeof(uint64_t)),
                               .controls = calloc(cluster.size, sizeof(uint64_t))};
    telling.stops = calloc(cluster.size, sizeof *telling.stops);
    telling.news_request = MPI_REQUEST_NULL;
    cluster.out = calloc(cluster.size, sizeof *cluster.out);
    known = calloc(cluster.size, sizeof *known);
    heard = calloc(cluster.size, sizeof *heard);
    bool fine = sending.requests && sending.batches && sending.spare && sending.states && sending.controls &&
                telling.stops && cluster.out && known && heard;
    for (uint32_t i = 0; fine && i < room; i++) {
        sending.requests[i] = MPI_REQUEST_NULL;
        fine = (sending.spare[sending.n_spare++] = take_memory(batch_bytes)) != NULL;
    }
    for (uint32_t i = 0; fine && i < cluster.size; i++) {
        telling.stops[i] = MPI_REQUEST_NULL;
        heard[i] = now();
        word *batch = sending.spare[--sending.n_spare];
        cluster.out[i] = (struct outgoing){batch, batch, batch + batch_bytes / sizeof(word)};
    }
    return fine;
}

static void receive_states(int i)
{
    MPI_Irecv(incoming.batches[i], (int)(batch_bytes / sizeof(word)), MPI_UINT64_T, MPI_ANY_SOURCE, STATES,
              MPI_COMM_WORLD, &incoming.requests[i]);
}

static void receive_control(void)
{
    MPI_Irecv(&incoming.control, sizeof incoming.control, MPI_BYTE, MPI_ANY_SOURCE, CONTROL, MPI_COMM_WORLD,
              &incoming.requests[RECEIVES]);
}

static bool open_incoming(void)
{
    for (int i = 0; i <= RECEIVES; i++) {
        incoming.requests[i] = MPI_REQUEST_NULL;
    }
    for (int i = 0; i < RECEIVES; i++) {
        if ((incoming.batches[i] = take_memory(batch_bytes)) == NULL) {
            return false;
        }
        receive_states(i);
    }
    receive_control();
    return true;
}

/* Ready, if all ranks are; the limits are for all together. */
bool cluster_open(bool ready)
{
    const uint64_t batches = 2 * (uint64_t)cluster.size + RECEIVES;
    shared.max_memory = shared.max_memory == UINT64_MAX ? UINT64_MAX : shared.max_memory / cluster.size;
    batch_bytes = BATCH_BYTES;
    while (batch_bytes > LEAST_BYTES && batches * batch_bytes > shared.max_memory / 8) {
        batch_bytes /= 2;
    }
    while (batch_bytes < 4 * record_bytes()) {
        batch_bytes *= 2;
    }
    int mine = ready && open_outgoing() && open_incoming(), all = 0;
    if (!mine) {
        stop_because(END_MEMORY);
    }
    telling.when = now();
    MPI_Request request;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return all;
}

/* ------------------------------------------------------------------------------------------- receiving */

static void hear(const struct control *said, int from)
{
    incoming.controls++;
    heard[from] = now();
    if (said->stop) {
        telling.told = true;
        atomic_store(&shared.stop, true); /* the reason is known to whoever stopped */
    } else {
        known[from] = said->counts;
    }
}

static void receive(struct worker *w, int i, const MPI_Status *status)
{
    int words;
    if (i == RECEIVES) {
        hear(&incoming.control, status->MPI_SOURCE);
        receive_control();
        return;
    }
    MPI_Get_count(status, MPI_UINT64_T, &words);
    incoming.states++;
    take_in(w, incoming.batches[i], (uint32_t)((size_t)words * sizeof(word) / record_bytes()),
            (uint32_t)status->MPI_SOURCE);
    receive_states(i);
}

/* Takes in what has come; false if nothing has. */
static bool receive_all(void)
{
    int count, which[RECEIVES + 1];
    MPI_Status status[RECEIVES + 1];
    MPI_Testsome(RECEIVES + 1, incoming.requests, &count, which, status);
    for (int i = 0; i < count; i++) {
        receive(&shared.workers[0], which[i], &status[i]);
    }
    return count > 0;
}

/* ------------------------------------------------------------------------------------------- waiting */

static void tell(uint32_t to, const struct control *what, MPI_Request *request)
{
    MPI_Isend(what, sizeof *what, MPI_BYTE, (int)to, CONTROL, MPI_COMM_WORLD, request);
    sending.controls[to]++;
}

static void tell_stop(void)
{
    telling.told = true;
    telling.stop.stop = 1;
    for (uint32_t i = 0; i < cluster.size; i++) {
        if (i != cluster.rank) {
            tell(i, &telling.stop, &telling.stops[i]);
        }
    }
}

static struct counts own_counts(void)
{
    const struct worker *w = &shared.workers[0];
    return (struct counts){w->states, w->transitions, shared.queue, shared.memory, 0};
}

static void tell_news(void)
{
    int free = 1;
    MPI_Test(&telling.news_request, &free, MPI_STATUS_IGNORE);
    if (free) {
        telling.news = (struct control){0, own_counts()};
        telling.states = telling.news.counts.states;
        telling.when = now();
        tell(0, &telling.news, &telling.news_request);
    }
}

/* What the user says: "stop" on the standard input; if it ends, nobody waits for us any more. */
static void listen(void)
{
    static bool here;
    char text[64];
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0 || !input.revents) {
        return;
    }
    const ssize_t length = read(STDIN_FILENO, text, sizeof text);
    if (length > 0 && memchr(text, 's', (size_t)length)) {
        stop_because(END_INTERRUPTED);
    }
    here = here || length > 0;
    if (length <= 0 && here) {
        stop_because(END_INTERRUPTED);
    }
}

/* Ranks say something all the time, whatever they do.  Whoever does not is lost with its host, and nobody would ever
   hear of it: connections to it just wait. */
static void look_for_silence(void)
{
    static double last;
    static char why[128];
    const double t = now();
    if (t - last < 1) {
        return;
    }
    last = t;
    for (uint32_t i = 1; i < cluster.size; i++) {
        if (t - heard[i] > cluster.silence) {
            (void)snprintf(why, sizeof why, "process %u of the MPI job, or its host, has said nothing for %.0f s", i,
                           cluster.silence);
            shared.why = why;
            report_end();
            cluster_abort();
        }
    }
}

static void watch(struct worker *w)
{
    const uint64_t some = shared.max_states / NEWS_SHARE / cluster.size + 1;
    if (telling.closed) { /* SOUND: whoever is told something now would not hear it, nor could it change anything */
        if (cluster.rank == 0) {
            look_for_silence();
        }
        return;
    }
    if (cluster.rank == 0) {
        watch_limits(w);
        listen();
        look_for_silence();
        if (cluster_others().states + w->states >= shared.max_states) {
            stop_because(END_STATES);
        }
    } else if (w->states - telling.states >= some || now() - telling.when > shared.progress_interval) {
        tell_news();
    }
    if (shared.stop && !telling.told) {
        tell_stop();
    }
}

void cluster_watch(struct worker *w)
{
    (void)receive_all();
    watch(w);
}

/* Nothing came again. */
static void rest(uint32_t idle)
{
    nap(idle);
    if (idle % LOOKS == 0) {
        watch(&shared.workers[0]);
    }
}

/* Takes in states until the request is done. */
void cluster_wait(void *request)
{
    int done = 0;
    for (uint32_t idle = 0; !done; idle++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && receive_all()) {
            idle = 0;
        } else if (!done) {
            rest(idle);
        }
    }
}

/* ------------------------------------------------------------------------------------------- sending */

/* A batch that nobody uses, and the place of a request for it. */
static uint32_t free_request(void)
{
    int index = MPI_UNDEFINED, done = 0;
    for (uint32_t idle = 0;; idle++) {
        for (uint32_t i = 0; i < sending.room; i++) {
            if (sending.requests[i] == MPI_REQUEST_NULL && sending.n_spare) {
                return i;
            }
        }
        MPI_Testany((int)sending.room, sending.requests, &index, &done, MPI_STATUS_IGNORE);
        if (done && index != MPI_UNDEFINED) {
            sending.spare[sending.n_spare++] = sending.batches[index];
        } else if (receive_all()) {
            idle = 0;
        } else {
            rest(idle);
        }
    }
}

/* The states that were collected for a rank go there. */
void cluster_send(struct worker *w, uint32_t to)
{
    struct outgoing *out = cluster.out + to;
    const size_t words = (size_t)(out->next - out->begin);
    if (to == cluster.rank) {
        take_in(w, out->begin, (uint32_t)(words * sizeof(word) / record_bytes()), to);
        out->next = out->begin;
        return;
    }
    const uint32_t i = free_request();
    MPI_Isend(out->begin, (int)words, MPI_UINT64_T, (int)to, STATES, MPI_COMM_WORLD, &sending.requests[i]);
    sending.batches[i] = out->begin;
    sending.states[to]++;
    out->begin = out->next = sending.spare[--sending.n_spare];
    out->full = out->begin + batch_bytes / sizeof(word);
    (void)receive_all();
}

/* ------------------------------------------------------------------------------------------- levels */

/* Returns when everything has come that was sent to this rank. */
void cluster_end_level(struct worker *w)
{
    uint64_t expected = 0;
    MPI_Request request;
    for (uint32_t i = 0; i < cluster.size; i++) {
        if (cluster.out[i].next != cluster.out[i].begin) {
            cluster_send(w, i);
        }
    }
    MPI_Ireduce_scatter_block(sending.states, &expected, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    cluster_wait(&request);
    for (uint32_t idle = 0; incoming.states < expected; idle++) {
        if (receive_all()) {
            idle = 0;
        } else {
            rest(idle);
        }
    }
    incoming.states = 0;
    memset(sending.states, 0, cluster.size * sizeof *sending.states);
}

struct agreement cluster_agree(uint64_t length)
{
    enum { LENGTH, STOPS, FINDINGS, ENDS, SAVES, FACTS };
    const bool ends = shared.why && (!strcmp(shared.why, END_VIOLATION) || !strcmp(shared.why, END_OVERFLOW));
    const bool saves = cluster.rank == 0 && cluster_save_due();
    const uint64_t mine[FACTS] = {length, shared.stop, cluster_findings(), ends, saves};
    uint64_t all[FACTS] = {0};
    cluster.stored = shared.workers[0].states;
    MPI_Request request;
    MPI_Iallreduce(mine, all, FACTS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    cluster_wait(&request);
    if (all[FINDINGS]) {
        cluster_tell_findings();
    }
    if (all[STOPS]) {
        telling.told = true;
        atomic_store(&shared.stop, true);
    }
    return (struct agreement){all[LENGTH], all[STOPS] != 0, !all[ENDS], all[SAVES] != 0};
}

/* ------------------------------------------------------------------------------------------- the end */

/* The sum of what is known of the other ranks. */
struct counts cluster_others(void)
{
    struct counts sum = {0};
    for (uint32_t i = 0; known && i < cluster.size; i++) {
        sum.states += known[i].states;
        sum.transitions += known[i].transitions;
        sum.queue += known[i].queue;
        sum.memory += known[i].memory;
        sum.cpu += known[i].cpu;
    }
    return sum;
}

/* What was told while a level ended is still on its way. */
static void drain(void)
{
    uint64_t expected = 0;
    MPI_Request request;
    telling.closed = true;
    MPI_Ireduce_scatter_block(sending.controls, &expected, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    cluster_wait(&request);
    for (uint32_t idle = 0; incoming.controls < expected; idle++) {
        if (!receive_all()) {
            rest(idle);
        }
    }
    for (int i = 0; i <= RECEIVES; i++) {
        MPI_Cancel(&incoming.requests[i]);
        MPI_Wait(&incoming.requests[i], MPI_STATUS_IGNORE);
    }
    MPI_Waitall((int)sending.room, sending.requests, MPI_STATUSES_IGNORE);
    MPI_Waitall((int)cluster.size, telling.stops, MPI_STATUSES_IGNORE);
    MPI_Wait(&telling.news_request, MPI_STATUS_IGNORE);
}

static struct last_words own_last_words(void)
{
    const char *why = shared.why ? shared.why : END_COMPLETE;
    struct last_words mine = {.orbits = 0, .peak = shared.peak, .quotient = shared.table.quotient, .cut = shared.cut};
    if (shared.workers) {
        mine.counts = own_counts();
        mine.orbits = shared.workers[0].orbits;
    }
    mine.counts.cpu = cpu_time() - cluster.started;
    memcpy(mine.overflow, (int32_t[]){shared.overflow_kind, shared.overflow_where, shared.overflow_what},
           sizeof mine.overflow);
    strncpy(mine.why, why, WHY - 1);
    return mine;
}

/* A violation was run again by whoever asks us, so it counts before all else; then what did not fit. */
static int weight(const char *why)
{
    return !strcmp(why, END_VIOLATION) ? 3 : !strcmp(why, END_OVERFLOW) ? 2 : *why ? 1 : 0;
}

static void add_last_words(const struct last_words *said, uint32_t rank)
{
    static char why[WHY];
    if (rank != 0) {
        known[rank] = said->counts;
        shared.workers[0].orbits += said->orbits;
        shared.peak += said->peak;
    }
    shared.table.quotient &= said->quotient;
    shared.cut |= (unsigned)said->cut;
    if (weight(said->why) > weight(why)) {
        memcpy(why, said->why, WHY);
        shared.overflow_kind = said->overflow[0];
        shared.overflow_where = said->overflow[1];
        shared.overflow_what = said->overflow[2];
    }
    shared.why = *why ? why : NULL;
}

static void gather_last_words(void)
{
    struct last_words mine = own_last_words(), *all = calloc(cluster.size, sizeof *all);
    uint8_t *executed = calloc(shared.model->n_actions + 1, 1);
    if (all == NULL || executed == NULL) {
        cluster_abort();
    }
    MPI_Request request;
    MPI_Igather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for(&request);
    MPI_Ireduce(shared.model->executed, executed, (int)shared.model->n_actions, MPI_UINT8_T, MPI_BOR, 0, MPI_COMM_WORLD,
                &request);
    wait_for(&request);
    if (cluster.rank == 0) {
        memcpy(shared.model->executed, executed, shared.model->n_actions);
        for (uint32_t i = 0; i < cluster.size; i++) {
            add_last_words(&all[i], i);
        }
    }
    free(all);
    free(executed);
}

/* The first rank speaks for all. */
void cluster_finish(void)
{
    if (shared.workers != NULL && cluster.out != NULL) {
        drain();
    }
    gather_last_words();
    if (cluster.rank == 0) {
        report_end();
    }
    MPI_Finalize();
}

void cluster_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}
