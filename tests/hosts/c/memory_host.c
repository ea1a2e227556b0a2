/* Programs in memory under contract.h: what MemoryProgram (hosts/memory.py) is for the searches in Python.
 *
 * Reads programs as text and explores each in a child of its own:
 *     program OPTIONS            what message.h calls the options
 *     array SIZE VALUE ...
 *     locals COUNT
 *     thread COUNT               then so many lines of
 *     KIND ARRAY OFFSET BY LOCAL VALUE JUMP THREADS      ARRAY, BY -1: none; VALUE "id": the thread's own
 *     run
 */
#include "symmetry/alike.h"
#include "await/await.h"
#include "explore/arena.h"
#include "explore/explore.h"
#include "symmetry/renaming.h"
#include "wire/message.h"
#include "explore/program.h"
#include "race/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_CELLS = 64,
    MOST_LOCALS = 8,
    MOST_CODE = 64,
    OWN = 1 << 24 /* + thread: an id; + 64: that it holds a lock */
};

struct instruction {
    char kind[12];
    int array, offset, by, local, value, jump, id;
    thread_set threads;
};

struct thread {
    int at;
    long values[MOST_LOCALS];
};

struct state {
    long cells[MOST_CELLS];
    struct thread threads[MOST_THREADS];
    thread_set ended;
};

static struct {
    int arrays, base[MOST_CELLS], size[MOST_CELLS], cells;
    long initial[MOST_CELLS];
    int threads, length[MOST_THREADS], locals;
    struct instruction code[MOST_THREADS][MOST_CODE];
} program;

static struct state now;
static struct operation pending[MOST_THREADS];
static struct finding finding;

/* ---------------------------------------------------------------- what comes next */

static void settle(int t)
{
    struct thread *thread = &now.threads[t];
    while (thread->at < program.length[t]) {
        const struct instruction *i = &program.code[t][thread->at];
        if (strcmp(i->kind, "skip"))
            return;
        thread->at += 1 + (thread->values[i->local] == i->value ? i->jump : 0);
    }
    thread->at = program.length[t];
}

static const struct instruction *next(int t)
{
    return now.threads[t].at < program.length[t] ? &program.code[t][now.threads[t].at] : NULL;
}

static int cell_of(const struct instruction *i, int t)
{
    long by = i->by >= 0 ? now.threads[t].values[i->by] : 0, size = program.size[i->array];
    long offset = i->offset + (by >= OWN ? 0 : by);
    return program.base[i->array] + (int)((offset % size + size) % size);
}

static int kind_of(const struct instruction *i)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {
        {"read", OP_READ},
        {"write", OP_WRITE},
        {"add", OP_UPDATE},
        {"lock", OP_LOCK},
        {"unlock", OP_UNLOCK},
        {"wait", OP_SEMAPHORE_WAIT},
        {"signal", OP_SEMAPHORE_POST},
        {"join", OP_JOIN},
        {"toss", OP_TOSS},
        {"check", OP_OUTSIDE},
        {"end", OP_END},
    };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kinds[k].name, i->kind))
            return kinds[k].kind;
    abort();
}

static bool waits(int kind) { return kind == OP_LOCK || kind == OP_SEMAPHORE_WAIT || kind == OP_JOIN; }

static bool synchronises(int kind)
{
    return kind == OP_LOCK || kind == OP_UNLOCK || kind == OP_SEMAPHORE_WAIT || kind == OP_SEMAPHORE_POST;
}

const struct operation *program_pending(int t)
{
    const struct instruction *i = next(t);
    if (!i)
        return NULL;
    struct operation *op = &pending[t];
    memset(op, 0, sizeof *op);
    op->kind = (uint8_t)kind_of(i);
    op->waits = waits(op->kind);
    op->joins = i->threads;
    op->pc = i;
    if (i->array >= 0)
        op->span[op->spans++] = (struct span){
            .from = 0x1000 + 8 * (uintptr_t)cell_of(i, t),
            .size = 8,
            .space = synchronises(op->kind) ? SYNC : MEMORY,
            .writes = op->kind != OP_READ,
            .decides = op->waits,
        };
    if (op->kind == OP_END)
        op->span[op->spans++] = (struct span){.from = (uintptr_t)t, .size = 1, .space = ENDS, .writes = 1};
    return op;
}

int program_threads(void) { return program.threads; }

bool program_enabled(int t)
{
    const struct instruction *i = next(t);
    switch (kind_of(i)) {
    case OP_JOIN:
        return (i->threads & ~now.ended) == 0;
    case OP_LOCK:
        return now.cells[cell_of(i, t)] == 0;
    case OP_SEMAPHORE_WAIT:
        return now.cells[cell_of(i, t)] > 0 && now.cells[cell_of(i, t)] < OWN;
    default:
        return true;
    }
}

int program_choices(int t)
{
    const struct instruction *i = next(t);
    return kind_of(i) == OP_TOSS && i->value ? i->value : 1;
}

int program_woken(int t, int choice)
{
    (void)t, (void)choice;
    return -1; /* there are no conditions */
}

/* ---------------------------------------------------------------- steps */

void program_restart(void)
{
    race_reset();
    memset(&now, 0, sizeof now);
    memcpy(now.cells, program.initial, sizeof now.cells);
    for (int t = 0; t < program.threads; t++)
        settle(t);
}

static void change(int t, const struct instruction *i)
{
    long *cell = &now.cells[cell_of(i, t)], count = *cell < OWN ? *cell : 0, mine = now.threads[t].values[i->local];
    switch (kind_of(i)) {
    case OP_WRITE:
        *cell = i->id ? OWN + t : mine < OWN ? mine + i->value : mine;
        break;
    case OP_UPDATE:
        *cell = count + i->value;
        break;
    case OP_LOCK:
        *cell = OWN + 64 + t;
        break;
    case OP_UNLOCK:
        *cell = 0;
        break;
    case OP_SEMAPHORE_WAIT:
        *cell = count - 1;
        break;
    default:
        *cell = count + 1;
    }
}

const struct finding *program_step(int t, int choice)
{
    const struct instruction *i = next(t);
    struct thread *thread = &now.threads[t];
    const struct finding *found = NULL;
    switch (kind_of(i)) {
    case OP_READ:
        thread->values[i->local] = now.cells[cell_of(i, t)];
        break;
    case OP_TOSS:
        thread->values[i->local] = choice;
        break;
    case OP_OUTSIDE:
        if (thread->values[i->local] != i->value)
            break;
        finding = (struct finding){
            .kind = "assertion", .thread = t, .pc = (const void *)(uintptr_t)(thread->at + 1), .other = -1};
        snprintf(finding.message, sizeof finding.message, "thread %d:%d", t, thread->at + 1);
        found = &finding;
        break;
    case OP_END:
        now.ended |= (thread_set)1 << t;
        break;
    case OP_JOIN:
        break;
    default:
        change(t, i);
    }
    thread->at++;
    settle(t);
    return found;
}

/* All that is left: memory, and of each thread where it is and what it has. */
static void tell_end(void)
{
    message_begin("end");
    message_list("left");
    for (int i = 0; i < program.cells; i++)
        message_item(now.cells[i]);
    for (int t = 0; t < program.threads; t++) {
        message_item(now.threads[t].at);
        for (int i = 0; i < program.locals; i++)
            message_item(now.threads[t].values[i]);
    }
    message_list_end();
    message_end();
}

const struct finding *program_stuck(void)
{
    int length = 0;
    if (option("ends"))
        tell_end();
    finding = (struct finding){.kind = "deadlock", .thread = -1, .other = -1};
    for (int t = 0; t < program.threads; t++)
        if (next(t))
            length +=
                snprintf(finding.message + length, sizeof finding.message - (size_t)length, length ? ", %d" : "%d", t);
    return length ? &finding : NULL;
}

bool program_knows_more(bool at_end)
{
    (void)at_end;
    return false;
}

bool program_learnt(void) { return false; }

void program_learnt_message(void) {}

const char *program_incomplete(void) { return NULL; }

const char *program_needs_fork(void) { return NULL; }

void program_close(void) {}

int program_notes(void) { return 0; }

const struct finding *program_note(int i)
{
    (void)i;
    return NULL;
}

bool known_freed(uintptr_t from, size_t size)
{
    (void)from, (void)size;
    return false;
}

bool known_visible(uintptr_t from, size_t size) { return from && size; }

void program_weak_messages(void) {}

bool program_is_weak(void) { return false; }

const void *program_incomplete_at(void) { return NULL; }
void program_stranger_messages(void) {}
void program_visit_messages(void) {}
void program_families(void) {}

/* There are no loops that wait, only operations that do. */
int program_await(int t)
{
    (void)t;
    return 0;
}

uint64_t program_seen(void) { return 0; }

bool program_failed_round(void) { return false; }

thread_set program_held(void) { return 0; }

/* Each of its waits is one step. */
int program_round_steps(int t) { return t >= 0; }

void program_fail_round(int t) { (void)t; }

thread_set program_would_go_on(void) { return 0; }

bool program_cut_off;

void learn_weak(const struct race *race) { (void)race; }

/* ---------------------------------------------------------------- symmetry */

uintptr_t region_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    (void)to;
    return address;
}

bool seats_shifted;

uintptr_t seat_behind(uintptr_t address) { return address; }

uintptr_t seat_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    (void)to;
    return address;
}

static int swapped(int t, int a, int b) { return t == a ? b : t == b ? a : t; }

static long image(long value, int a, int b)
{
    return value < OWN ? value : OWN + (value - OWN) / 64 * 64 + swapped((int)((value - OWN) % 64), a, b);
}

static thread_set image_set(thread_set set, int a, int b)
{
    thread_set result = 0;
    for (int t = 0; t < MOST_THREADS; t++)
        if (set >> t & 1)
            result |= (thread_set)1 << swapped(t, a, b);
    return result;
}

static bool same_instruction(const struct instruction *i, const struct instruction *j, int a, int b)
{
    if (strcmp(i->kind, j->kind) || i->array != j->array || i->by != j->by || i->local != j->local ||
        i->value != j->value || i->jump != j->jump || i->id != j->id || image_set(i->threads, a, b) != j->threads)
        return false;
    if (i->array < 0)
        return true;
    int size = program.size[i->array];
    return i->by >= 0 ? i->offset == j->offset : i->offset % size == j->offset % size;
}

static bool same_thread(int t, int u, int a, int b)
{
    int rest = program.length[t] - now.threads[t].at;
    if (rest != program.length[u] - now.threads[u].at)
        return false;
    for (int l = 0; l < program.locals; l++)
        if (image(now.threads[t].values[l], a, b) != now.threads[u].values[l])
            return false;
    for (int k = 0; k < rest; k++)
        if (!same_instruction(&program.code[t][now.threads[t].at + k], &program.code[u][now.threads[u].at + k], a, b))
            return false;
    return true;
}

void program_copied(void) {}

uint64_t program_knowledge(void) { return 0; }

void alike_open(void) {}

void alike_lost(long long executions) { (void)executions; }

void alike_watch_main(bool symmetric) { (void)symmetric; }

bool scene_out_of_reach(uintptr_t address)
{
    (void)address;
    return false;
}

const char *alike_difference(void) { return NULL; }

bool alike(int a, int b, struct renaming *found)
{
    renaming_clear(found);
    found->to[a] = (uint8_t)b;
    found->to[b] = (uint8_t)a;
    for (int c = 0; c < program.cells; c++)
        if (image(now.cells[c], a, b) != now.cells[c])
            return false;
    if (image_set(now.ended, a, b) != now.ended)
        return false;
    for (int t = 0; t < program.threads; t++)
        if (!same_thread(t, swapped(t, a, b), a, b))
            return false;
    return true;
}

/* ---------------------------------------------------------------- reading programs */

static void read_instruction(struct instruction *i)
{
    char value[16];
    unsigned long threads;
    if (scanf("%11s %d %d %d %d %15s %d %lu", i->kind, &i->array, &i->offset, &i->by, &i->local, value, &i->jump,
              &threads) != 8)
        abort();
    i->id = !strcmp(value, "id");
    i->value = i->id ? 0 : atoi(value);
    i->threads = threads;
}

static void read_array(void)
{
    int a = program.arrays++;
    program.base[a] = program.cells;
    if (scanf("%d", &program.size[a]) != 1)
        abort();
    for (int k = 0; k < program.size[a]; k++)
        if (scanf("%ld", &program.initial[program.cells++]) != 1)
            abort();
}

static void run(const char *options)
{
    fflush(stdout);
    if (fork() == 0) {
        message_open(options);
        arena_open(option("fork"));
        await_open();
        option("fork") ? explore_forked() : explore();
        _exit(0);
    }
    int status = 0;
    wait(&status);
    if (status != 0)
        abort();
    memset(&program, 0, sizeof program);
}

int main(void)
{
    char word[32], options[400];
    while (scanf("%31s", word) == 1) {
        if (!strcmp(word, "program")) {
            if (!fgets(options, sizeof options, stdin))
                abort();
            options[strcspn(options, "\n")] = 0;
        } else if (!strcmp(word, "array")) {
            read_array();
        } else if (!strcmp(word, "locals")) {
            if (scanf("%d", &program.locals) != 1)
                abort();
        } else if (!strcmp(word, "thread")) {
            int t = program.threads++;
            if (scanf("%d", &program.length[t]) != 1)
                abort();
            for (int k = 0; k < program.length[t]; k++)
                read_instruction(&program.code[t][k]);
        } else {
            run(options);
        }
    }
    return 0;
}
