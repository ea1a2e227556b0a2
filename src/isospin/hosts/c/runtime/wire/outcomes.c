#include "wire/outcomes.h"

#include "explore/arena.h"
#include "explore/contract.h"
#include "wire/message.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 256, FEWEST_PLACES = 64 }; /* bytes for what a thread says in an execution; a power of two */

struct outcome {
    struct outcome *next; /* in the order in which they were found */
    long long executions;
    char text[]; /* all of it is compared: what is cut off is cut off in the same way */
};

static struct {
    char said[MOST_THREADS][ROOM];
    char all[MOST_THREADS * ROOM];
    struct outcome **places; /* by hash, the next free place if it is taken */
    unsigned room, count;
    struct outcome *first, **last;
    bool spoken; /* in some execution that counts */
} *kept;

void outcomes_open(void)
{
    kept = arena_take(sizeof *kept);
    outcomes_forget();
}

void outcomes_begin(void)
{
    for (int t = 0; kept && t < MOST_THREADS; t++)
        kept->said[t][0] = 0;
}

void outcomes_say(int thread, const char *format, va_list parts)
{
    if (!kept)
        return;
    char *said = kept->said[thread];
    size_t length = strlen(said);
    if (length && length < ROOM - 1)
        said[length++] = ' ';
    vsnprintf(said + length, ROOM - length, format, parts);
}

bool outcomes_alike(int one, int other) { return !kept || !strcmp(kept->said[one], kept->said[other]); }

static void sort(const char **texts, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j && strcmp(texts[j - 1], texts[j]) > 0; j--) {
            const char *other = texts[j];
            texts[j] = texts[j - 1];
            texts[j - 1] = other;
        }
}

const char *outcomes_now(void)
{
    const char *texts[MOST_THREADS];
    int count = 0;
    for (int t = 0; kept && t < MOST_THREADS; t++)
        if (kept->said[t][0])
            texts[count++] = kept->said[t];
    sort(texts, count);
    if (!count)
        return "";
    char *end = kept->all;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        if (i)
            *end++ = ' ';
        memcpy(end, texts[i], length + 1);
        end += length;
    }
    return kept->all;
}

/* ---------------------------------------------------------------- counting */

static struct outcome **place_of(const char *text)
{
    uint64_t hash = 14695981039346656037ul; /* FNV-1a */
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211ul;
    unsigned at = (unsigned)(hash >> 20) & (kept->room - 1);
    while (kept->places[at] && strcmp(kept->places[at]->text, text))
        at = (at + 1) & (kept->room - 1);
    return &kept->places[at];
}

static void grow(void)
{
    arena_give(kept->places, kept->room * sizeof *kept->places);
    kept->room = kept->room ? 2 * kept->room : FEWEST_PLACES;
    kept->places = arena_take(kept->room * sizeof *kept->places);
    for (struct outcome *o = kept->first; o; o = o->next)
        *place_of(o->text) = o;
}

void outcomes_count(void)
{
    const char *text = outcomes_now();
    if (2 * (kept->count + 1) > kept->room)
        grow();
    struct outcome **place = place_of(text);
    if (!*place) {
        size_t length = strlen(text) + 1;
        *place = arena_take(sizeof **place + length);
        memcpy((*place)->text, text, length);
        *kept->last = *place;
        kept->last = &(*place)->next;
        kept->count++;
    }
    (*place)->executions++;
    kept->spoken |= *text != 0;
}

void outcomes_forget(void)
{
    for (struct outcome *o = kept->first, *next; o; o = next) {
        next = o->next;
        arena_give(o, sizeof *o + strlen(o->text) + 1);
    }
    arena_give(kept->places, kept->room * sizeof *kept->places);
    kept->places = NULL;
    kept->room = kept->count = 0;
    kept->first = NULL;
    kept->last = &kept->first;
    kept->spoken = false;
}

void outcomes_tell(void)
{
    for (const struct outcome *o = kept->spoken ? kept->first : NULL; o; o = o->next) {
        message_begin(MESSAGE_OUTCOME);
        message_text("text", o->text);
        message_number("executions", o->executions);
        message_end();
    }
}
