/* Scenes with two or three threads that are given numbers; the first argument says which one.
 * tests/hosts/c/test_numbers.py says whether they are alike where they have begun. */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };
typedef void *routine(void *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cell[N + 1], total, leader = -1;
static pthread_mutex_t locks[N];

static int run(int count, routine *what)
{
    pthread_t threads[N];
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, what, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* ---- alike */
static void *direct(void *given)
{
    int i = (int)(long)given;
    cell[i]++;
    pthread_mutex_lock(&lock);
    total += cell[i];
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int step(int who) { return ++cell[who]; }
static void *passed(void *given)
{
    long i = (long)given, k = i;
    printf("%ld %d\n", i, step((int)k));
    return NULL;
}

static void *compared(void *given) /* with another number of a thread, which none has yet */
{
    int i = (int)(long)given;
    pthread_mutex_lock(&lock);
    if (leader == i)
        total++;
    leader = i;
    pthread_mutex_unlock(&lock);
    return NULL;
}

struct job {
    int id;
    long done;
};
static struct job jobs[N];
static void *member(void *given)
{
    struct job *job = given;
    cell[job->id]++;
    job->done = 1;
    return NULL;
}

static void *unread(void *given) /* nobody reads the number */
{
    struct job *job = given;
    job->done = 1;
    return NULL;
}

static void *ring(void *given)
{
    int i = (int)(long)given;
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[(i + 1) % N]);
    pthread_mutex_unlock(&locks[(i + 1) % N]);
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

/* ---- not alike */
static void *constant(void *given)
{
    if ((long)given == 0)
        total++;
    return NULL;
}

static void *order(void *given)
{
    int i = (int)(long)given;
    pthread_mutex_lock(&lock);
    if (leader < i)
        leader = i;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *sum(void *given)
{
    pthread_mutex_lock(&lock);
    total += (int)(long)given;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *names(void *given) /* one of the cells */
{
    int i = (int)(long)given;
    cell[i]++;
    pthread_mutex_lock(&lock);
    total += cell[0];
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *hashes(void *given)
{
    int i = (int)(long)given;
    cell[i % 2]++;
    return NULL;
}

static void *chooses(void *given)
{
    switch ((long)given) {
    case 0:
        total = 1;
        break;
    case 1:
        cell[N] = 1;
        break;
    default:
        break;
    }
    return NULL;
}

static void *ticket(void *given) /* the order in which they come is no number of a thread */
{
    static int next;
    (void)given;
    pthread_mutex_lock(&lock);
    int mine = next++;
    pthread_mutex_unlock(&lock);
    if (mine == 0)
        cell[mine]++;
    return NULL;
}

static void *neighbour(void *given) /* by arithmetic with a pointer */
{
    int *own = &cell[(long)given];
    own[1]++;
    return NULL;
}

struct pair {
    int low, high;
};
static struct pair pairs[N];
static void *overlays(void *given) /* the array with another type */
{
    int *numbers = (int *)pairs;
    numbers[(long)given + 1]++;
    pthread_mutex_lock(&lock);
    total += pairs[(long)given].low;
    pthread_mutex_unlock(&lock);
    return NULL;
}

union both {
    int number;
    unsigned char bytes[4];
};
static void *united(void *given)
{
    union both both = {.number = (int)(long)given};
    if (both.bytes[0] == 1)
        total++;
    return NULL;
}

static void *copied(void *given)
{
    struct job *job = given, copy;
    memcpy(&copy, job, sizeof copy);
    if (copy.id == 1)
        total++;
    return NULL;
}

static void *leaked(void *given) /* an address becomes a number */
{
    long i = (long)given;
    if (((unsigned long)&cell[i] >> 2) % 2)
        total++;
    return NULL;
}

static _Thread_local int mine;
static void *stored(void *given)
{
    mine = (int)(long)given;
    if (mine == 1)
        total++;
    return NULL;
}

static void *kept(void *given) /* in a block */
{
    struct job *job = malloc(sizeof *job);
    job->id = (int)(long)given;
    if (job->id == 1)
        total++;
    free(job);
    return NULL;
}

static void *returned(void *given) { return given; }

static int with_results(void)
{
    pthread_t threads[2];
    void *result;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, returned, (void *)i);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        total = total * 2 + (int)(long)result;
    }
    return 0;
}

/* ---- what main does */
static int run_jobs(routine *what)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        jobs[i].id = i;
        pthread_create(&threads[i], NULL, what, &jobs[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

struct task {
    int id;
    long made;
};
static void *task(void *given)
{
    struct task *task = given;
    cell[task->id]++;
    task->made = 1;
    return NULL;
}

static int local(void)
{
    pthread_t threads[N];
    struct task own[N] = {{0, 0}};
    for (int i = 0; i < N; i++) {
        own[i].id = i;
        pthread_create(&threads[i], NULL, task, &own[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* ---- numbers in the heap */
struct order {
    int number;
    long filled;
};
static void *fills(void *given)
{
    struct order *order = given;
    cell[order->number]++;
    order->filled = 1;
    return NULL;
}

static void *fills_one(void *given) /* one of the numbers is special */
{
    struct order *order = given;
    if (order->number == 1)
        total++;
    return NULL;
}

static int run_blocks(routine *what) /* a block each */
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct order *order = malloc(sizeof *order);
        order->number = i;
        order->filled = 0;
        pthread_create(&threads[i], NULL, what, order);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int block(void) /* all of them in one */
{
    pthread_t threads[N];
    struct order *several = calloc(N, sizeof *several);
    for (int i = 0; i < N; i++) {
        several[i].number = i;
        pthread_create(&threads[i], NULL, fills, &several[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    free(several);
    return 0;
}

static void *xmalloc(size_t size)
{
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}

static void *zeroed(size_t size) { return calloc(1, size); }

static int *first_of[N], made_count;
static void *noted(size_t size) /* what is in it is seen as a number, too */
{
    void *made = malloc(size);
    first_of[made_count++] = made;
    return made;
}

static void *reads_note(void *given)
{
    struct order *order = given;
    if (*first_of[order->number] == 1)
        total++;
    return NULL;
}

static int run_made(routine *what, struct order *order, pthread_t *thread, int i)
{
    order->number = i;
    order->filled = 0;
    return pthread_create(thread, NULL, what, order);
}

static int run_wrapped(int which) /* a block each, by a function that others use as well */
{
    pthread_t threads[N];
    long *other = xmalloc(sizeof *other);
    *other = which;
    for (int i = 0; i < N; i++) {
        if (which == 0) {
            struct order *order = xmalloc(sizeof *order);
            run_made(fills, order, &threads[i], i);
        } else if (which == 1) {
            struct order *order = zeroed(sizeof *order);
            run_made(fills, order, &threads[i], i);
        } else if (which == 2) {
            struct order *order = noted(sizeof *order);
            run_made(reads_note, order, &threads[i], i);
        } else {
            struct order *order = xmalloc(sizeof *order);
            run_made(fills_one, order, &threads[i], i);
        }
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    free(other);
    return 0;
}

struct errand {
    int whom;
};
static void visit(struct errand *errand) { cell[errand->whom]++; }
static void *visits(void *given) /* the first cell, too, by a struct in a frame that is not there yet */
{
    visit(given);
    pthread_mutex_lock(&lock);
    struct errand own;
    own.whom = 0;
    visit(&own);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int run_errands(void)
{
    static struct errand errands[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        errands[i].whom = i;
        pthread_create(&threads[i], NULL, visits, &errands[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

struct header {
    long size;
};
static void *behind_header(void *given) /* what is in the block is no header: its first member is a number */
{
    struct header *header = given;
    int *number = (int *)(header + 1);
    if (*number == 1)
        total++;
    return NULL;
}

static int headers(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct header *header = malloc(2 * sizeof *header);
        header->size = 8;
        *(int *)(header + 1) = i;
        pthread_create(&threads[i], NULL, behind_header, header);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int looks(void) /* at one of the cells in the end */
{
    run(N, direct);
    isospin_assert(cell[1] < 100);
    return 0;
}

static int goes_over(void) /* all of them, in an order */
{
    run(N, direct);
    int found = 0;
    for (int i = 0; i < N; i++)
        found = found * 2 + cell[i];
    isospin_assert(found < 100);
    return 0;
}

static int held(void) /* a variable has the number of one of them */
{
    leader = 1;
    return run(2, compared);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        routine *what;
    } scenes[] = {
        {"direct", direct},     {"passed", passed},   {"compared", compared}, {"ring", ring},
        {"constant", constant}, {"order", order},     {"sum", sum},           {"names", names},
        {"hashes", hashes},     {"chooses", chooses}, {"ticket", ticket},     {"neighbour", neighbour},
        {"overlays", overlays}, {"united", united},   {"leaked", leaked},     {"stored", stored},
        {"kept", kept},
    };
    const char *name = count > 1 ? words[1] : "";
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return run(N, scenes[i].what);
    if (strcmp(name, "member") == 0)
        return run_jobs(member);
    if (strcmp(name, "unread") == 0)
        return run_jobs(unread);
    if (strcmp(name, "copied") == 0)
        return run_jobs(copied);
    if (strcmp(name, "local") == 0)
        return local();
    if (strcmp(name, "in_blocks") == 0)
        return run_blocks(fills);
    if (strcmp(name, "wrapped") == 0)
        return run_wrapped(0);
    if (strcmp(name, "wrapped_zeroed") == 0)
        return run_wrapped(1);
    if (strcmp(name, "wrapped_noted") == 0)
        return run_wrapped(2);
    if (strcmp(name, "wrapped_one") == 0)
        return run_wrapped(3);
    if (strcmp(name, "one_block") == 0)
        return run_blocks(fills_one);
    if (strcmp(name, "block") == 0)
        return block();
    if (strcmp(name, "visits") == 0)
        return run_errands();
    if (strcmp(name, "headers") == 0)
        return headers();
    if (strcmp(name, "looks") == 0)
        return looks();
    if (strcmp(name, "goes_over") == 0)
        return goes_over();
    if (strcmp(name, "held") == 0)
        return held();
    if (strcmp(name, "returned") == 0)
        return with_results();
    return 2;
}
