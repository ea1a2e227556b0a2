/* expect: holds */
/* What libraries and the compiler do to memory works on shared memory as on any other: copies, strings, sorting, structures,
 * floating point, across pages. */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
    char name[20];
    double number;
    int values[7];
};

static int ascending(const void *a, const void *b)
{
    int one = *(const int *)a, other = *(const int *)b;
    return (one > other) - (one < other);
}

static void copies(char *shared)
{
    static char own[900], back[900];
    for (int i = 0; i < 900; i++) own[i] = (char)(i * 7);
    memcpy(shared + 3500, own, sizeof own); /* across a page */
    memcpy(back, shared + 3500, sizeof back);
    assert(memcmp(own, back, sizeof own) == 0);
    memmove(shared + 3501, shared + 3500, 300);
    assert(shared[3500] == own[0] && shared[3501] == own[0] && shared[3800] == own[299]);
    memset(shared, 'x', 100);
    shared[100] = 0;
    assert(strlen(shared) == 100 && strchr(shared, 'y') == NULL);
    char *from = shared, *to = shared + 200;
    long count = 10;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    assert(shared[209] == 'x' && shared[210] == 0 && count == 0);
}

static void structures(char *shared)
{
    struct record *there = (struct record *)(shared + 4090), here = {"somebody", 2.5, {5, 3, 1, 4, 2, 7, 6}};
    *there = here;
    there->number *= 2;
    there->values[0]++;
    qsort(there->values, 7, sizeof(int), ascending);
    here = *there;
    assert(here.number == 5.0 && here.values[0] == 1 && here.values[6] == 7 && strcmp(here.name, "somebody") == 0);
    char text[50];
    snprintf(text, sizeof text, "%s %.1f", there->name, there->number);
    assert(strcmp(text, "somebody 5.0") == 0);
}

static void atomics(char *shared)
{
    atomic_int *number = (atomic_int *)shared;
    atomic_store(number, 6);
    assert(atomic_fetch_or(number, 1) == 6 && atomic_fetch_and(number, 3) == 7 && atomic_exchange(number, 9) == 3);
    int wanted = 8;
    assert(!atomic_compare_exchange_strong(number, &wanted, 1) && wanted == 9);
    assert(atomic_compare_exchange_strong(number, &wanted, 1) && atomic_load(number) == 1);
}

int main(void)
{
    char *shared = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    copies(shared);
    structures(shared);
    atomics(shared);
    if (fork() == 0) exit(shared[209] != 'x');
    int status;
    wait(&status);
    assert(status == 0);
}
