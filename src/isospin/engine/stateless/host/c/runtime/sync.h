/* What objects of synchronisation need of each other. */
#ifndef ISOSPIN_SYNC_H
#define ISOSPIN_SYNC_H

#include "runtime.h"

#include <pthread.h>
#include <time.h>

struct mutex;
struct mutex *mutex_valid(pthread_mutex_t *object, const char *what, const void *pc);
bool mutex_free(const struct mutex *mutex, uintptr_t self);
/* Give a mutex back for a wait, however often it was taken; and take it again as often. */
int mutex_give_wholly(struct mutex *mutex, uint32_t *count, const void *pc);
void mutex_take_wholly(struct mutex *mutex, uint32_t count);

/* Does it wait at a condition that was signalled when nobody waited? */
bool condition_unheard(const struct thread *thread);

/* A timed operation: may it time out now?  Counts, and says so when it is the last time. */
bool may_time_out(const struct thread *thread);
void timed_out(const struct timespec *until);
/* A timed operation begins to wait that may not time out any more: the verdict is not complete. */
void note_time_outs(void);

#endif
