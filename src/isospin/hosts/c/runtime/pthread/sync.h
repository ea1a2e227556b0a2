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

/* The functions of POSIX and of C11 are these; `entry` is the frame of the call into the runtime. */
int mutex_init(pthread_mutex_t *object, int kind, void **entry);
int mutex_destroy(pthread_mutex_t *object, void **entry);
int mutex_lock(pthread_mutex_t *object, void **entry);
int mutex_trylock(pthread_mutex_t *object, void **entry);
int mutex_lock_timed(pthread_mutex_t *object, const struct timespec *until, void **entry);
int mutex_unlock(pthread_mutex_t *object, void **entry);
int condition_init(pthread_cond_t *object, void **entry);
int condition_destroy(pthread_cond_t *object, void **entry);
int condition_wait(pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *until, void **entry);
void condition_signal(pthread_cond_t *object, enum operation_kind kind, void **entry);
/* Who is woken by the next operation of a thread, a signal, if it has this outcome; -1: nobody. */
int condition_woken(const struct thread *thread, int choice);
int once(pthread_once_t *object, void (*routine)(void), void **entry);
int key_create(unsigned *key, void (*destructor)(void *), void **entry);
int key_delete(unsigned key, void **entry);
void yield(void **entry);
int sleep_timespec(const struct timespec *wanted, void **entry);
int thread_create(pthread_t *self, const pthread_attr_t *attributes, void *(*start)(void *), void *argument, bool c11,
                  void **entry);
int thread_join(pthread_t self, void **result, bool checked, void **entry);
int thread_detach(pthread_t self, void **entry);
_Noreturn void thread_exit(void *result, void **entry);

/* Does it wait at a condition that was signalled when nobody waited? */
bool condition_unheard(const struct thread *thread);

/* Can it be a time?  If not, a timed operation that would have to wait fails (EINVAL). */
bool is_time(const struct timespec *until);
/* So much later than it is now for the current thread. */
struct timespec time_after(const struct timespec *length);
/* A timed operation: may it time out now?  Counts, and says so when it is the last time. */
bool may_time_out(const struct thread *thread);
void timed_out(const struct timespec *until);
/* A timed operation begins to wait that may not time out any more: the verdict is not complete. */
void note_time_outs(void);

#endif
