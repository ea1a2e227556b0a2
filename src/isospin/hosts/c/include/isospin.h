/* For programs that are checked by isospin.  Outside of it, link nothing: define ISOSPIN_ABSENT and the calls are
 * plain. */
#ifndef ISOSPIN_H
#define ISOSPIN_H

#ifdef ISOSPIN_ABSENT
#include <assert.h>
#include <stdlib.h>
#define isospin_toss(n) (rand() % (n))
#define isospin_assert(e) assert(e)
#define isospin_outcome(...) ((void)0)
#else

#ifdef __cplusplus
extern "C" {
#endif

/* One of 0 .. n-1: all of them are explored. */
int isospin_toss(int n);
/* What this execution has shown, in the program's own words, like printf.  Over the whole search the different outcomes
 * are collected and counted.  Each thread adds to what it said before; what threads say is sorted, since it is no part
 * of an execution which of them speaks first. */
void isospin_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));
void isospin_assert_failed(const char *expression, const char *file, unsigned line);

#ifdef __cplusplus
}
#endif

/* Like assert, and not switched off by NDEBUG. */
#define isospin_assert(e) ((e) ? (void)0 : isospin_assert_failed(#e, __FILE__, __LINE__))

#endif

/* The names that VeriSoft has for them.  Its toss includes the number itself: one of 0 .. n. */
#define VS_toss(n) isospin_toss((n) + 1)
#define VS_assert(e) isospin_assert(e)

#endif
