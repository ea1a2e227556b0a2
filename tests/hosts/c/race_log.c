/* Race detection alone: what happens comes as lines, and of each access it says whether it races.
 *
 *     reset | born PARENT CHILD | joined THREAD ENDED | acquire THREAD OBJECT | release THREAD OBJECT | only THREAD OBJECT
 *     forget FROM SIZE | access THREAD FROM SIZE HOW PC        answered by WEAK 0, or by WEAK 1 FROM SIZE OTHER OTHER_HOW OTHER_PC
 *
 * WEAK: with how many atomic accesses of others it may show more than interleavings.
 */
#include "explore/arena.h"
#include "explore/explore.h"
#include "race/race.h"
#include "symmetry/renaming.h"

#include <stdio.h>
#include <string.h>

const struct operation *program_pending(int thread)
{
    (void)thread;
    return NULL;
}

bool scene_out_of_reach(uintptr_t address)
{
    (void)address;
    return false;
}

bool known_freed(uintptr_t from, size_t size)
{
    (void)from, (void)size;
    return false;
}

bool known_visible(uintptr_t from, size_t size)
{
    return from && size && false;
}

static int weak;

void learn_weak(const struct race *race)
{
    weak += race->size > 0;
}

uintptr_t region_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    (void)to;
    return address;
}

bool seats_shifted;

uintptr_t seat_behind(uintptr_t address)
{
    return address;
}

uintptr_t seat_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    (void)to;
    return address;
}

static void access_memory(const long *n)
{
    struct race race;
    weak = 0;
    if (race_access((int)n[0], (uintptr_t)n[1], (size_t)n[2], (int)n[3], (const void *)n[4], &race))
        printf("%d 1 %lu %u %d %d %lu\n", weak, race.from, race.size, race.other, race.other_how, (unsigned long)race.other_pc);
    else
        printf("%d 0\n", weak);
}

static void take(const char *word, const long *n)
{
    if (!strcmp(word, "born"))
        race_born((int)n[0], (int)n[1]);
    else if (!strcmp(word, "joined"))
        race_joined((int)n[0], (int)n[1]);
    else if (!strcmp(word, "acquire"))
        race_acquire((int)n[0], (uintptr_t)n[1]);
    else if (!strcmp(word, "release"))
        race_release((int)n[0], (uintptr_t)n[1]);
    else if (!strcmp(word, "only"))
        race_release_only((int)n[0], (uintptr_t)n[1]);
    else if (!strcmp(word, "forget"))
        race_forget((uintptr_t)n[0], (size_t)n[1]);
    else
        access_memory(n);
}

int main(void)
{
    char line[200], word[20];
    long n[5] = {0};
    arena_open(false);
    while (fgets(line, sizeof line, stdin)) {
        sscanf(line, "%19s %ld %ld %ld %ld %ld", word, &n[0], &n[1], &n[2], &n[3], &n[4]);
        if (!strcmp(word, "reset"))
            race_reset();
        else
            take(word, n);
    }
    return 0;
}
