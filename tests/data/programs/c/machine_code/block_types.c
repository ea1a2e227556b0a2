/* Blocks of the heap that seem to be made of structs, and are not: who takes them for that misses a comparison. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

struct order {
    int number, filled;
};
struct tally {
    int votes, seats;
};
struct header {
    int size, more;
};
struct title {
    int size, more;
    long length;
};

static int total, last = 1, four = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *by_order(void *given)
{
    struct order *order = given;
    pthread_mutex_lock(&lock);
    if (order->number == 1)
        total++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *by_tally(void *given)
{
    struct tally *tally = given;
    pthread_mutex_lock(&lock);
    if (tally->votes == 1)
        total++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *by_header(void *given) /* behind a header there is no header */
{
    struct header *header = given;
    struct tally *tally = (struct tally *)(header + 1);
    pthread_mutex_lock(&lock);
    if (tally->votes == 1)
        total++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *by_title(void *given) /* nor behind a title, at a place that is computed */
{
    struct title *title = given;
    struct tally *tally = (struct tally *)((int *)title + four);
    pthread_mutex_lock(&lock);
    if (tally->votes == 1)
        total++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *kept;

static void *noted(size_t size) /* the block is kept here, and returned as well */
{
    void *made = malloc(size);
    kept = made;
    return made;
}

static void *held(size_t size) /* the same, from a register */
{
    register void *made = malloc(size);
    kept = made;
    return made;
}

static void noting(pthread_t *thread, int i)
{
    struct order *order = noted(sizeof *order);
    ((struct tally *)kept)->votes = i;
    order->filled = 0;
    pthread_create(thread, NULL, by_tally, kept);
}

static void holding(pthread_t *thread, int i)
{
    struct tally *tally = held(sizeof *tally);
    tally->votes = i;
    tally->seats = 0;
    pthread_create(thread, NULL, by_order, kept);
}

static void two_types(pthread_t *thread, int i) /* the block is given to pointers of both */
{
    register void *made = malloc(sizeof(struct order));
    struct order *order = made;
    struct tally *tally = made;
    order->number = i;
    order->filled = 0;
    pthread_create(thread, NULL, by_tally, tally);
}

static void shifted(pthread_t *thread, int i) /* not where the block begins */
{
    struct order *order = (struct order *)((char *)malloc(2 * sizeof *order) + sizeof(int));
    order->number = i;
    order->filled = 0;
    pthread_create(thread, NULL, by_order, order);
}

static void behind(pthread_t *thread, int i)
{
    struct header *header = malloc(2 * sizeof *header);
    header->size = header->more = header[last].more = 0;
    header[last].size = i;
    pthread_create(thread, NULL, by_header, header);
}

static void computed(pthread_t *thread, int i)
{
    struct title *title = calloc(2, sizeof *title);
    title[last].size = i;
    pthread_create(thread, NULL, by_title, title);
}

int main(int words_count, char **words)
{
    const char *name = words_count > 1 ? words[1] : "";
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        if (strcmp(name, "two_types") == 0)
            two_types(&threads[i], i);
        else if (strcmp(name, "noting") == 0)
            noting(&threads[i], i);
        else if (strcmp(name, "holding") == 0)
            holding(&threads[i], i);
        else if (strcmp(name, "shifted") == 0)
            shifted(&threads[i], i);
        else if (strcmp(name, "behind") == 0)
            behind(&threads[i], i);
        else
            computed(&threads[i], i);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
