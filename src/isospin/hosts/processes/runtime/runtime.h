/* A process under control: at every call that another process could notice it asks, and waits for the answer.
 *
 * Nothing here keeps state that several processes share: semaphores, queues, pipes and shared memory are simulated by
 * who answers.  So what a process does is a function of the answers that it got, and of nothing else.
 */
#ifndef ISOSPIN_PROCESSES_RUNTIME_H
#define ISOSPIN_PROCESSES_RUNTIME_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "constants.h"

#define EXPORT __attribute__((visibility("default")))

enum { CHANNEL = 250 };

/* `out` has `room` bytes for the data of the answer; `got` is how many came. */
struct question {
    const char *kind;
    int64_t args[MOST_ARGUMENTS];
    const void *data;
    uint32_t size;
    void *out;
    uint32_t room, got;
};

/* channel.c */
int64_t ask(struct question *question); /* the value of the answer; errno is set if it has an error */
_Noreturn void tell(struct question *question); /* the last thing that this process says */
_Noreturn void outside(const char *what);       /* the program does something that cannot be controlled */
extern const void *place;                       /* if not NULL: where the user's code is; else the stack tells */
extern bool flushing;                           /* may stdout be flushed? */
extern unsigned long cpu_seconds;               /* between two calls, before the process is said to diverge */
void watch_time(void);
void find_program(void);
const void *program_place(const void *pc, const void *stack); /* the innermost place in the user's code */

#define ASK(name, ...) ask(&(struct question){.kind = name, .args = {__VA_ARGS__}})
#define ASK_WITH(name, bytes, count, ...) \
    ask(&(struct question){.kind = name, .args = {__VA_ARGS__}, .data = bytes, .size = (uint32_t)(count)})

/* memory.c: bytes of the user that may lie in shared memory */
bool is_shared(const void *address);
bool shared_place(const void *address, int64_t *segment, int64_t *offset);
const void *borrow(const void *from, size_t size, void *spare); /* `spare` has room for size bytes */
void give(void *to, const void *from, size_t size);
void memory_start(void);
void expect(const volatile void *address, uint32_t size, int how); /* the next access is this one */
void expect_atomic(const volatile void *address, uint32_t size, int how, int order);
enum { READS = 1, WRITES, UPDATES };
struct stored {
    uint32_t size;
    unsigned char bytes[192];
};
extern struct stored stored; /* what the last access to shared memory wrote, not yet told */

/* fault.c */
typedef void handler(int signal, siginfo_t *info, void *context);
void handle(int signal, handler *handler); /* NULL: ignore it */
handler on_crash;
void fault_start(void);

/* pipes.c */
bool is_simulated(int fd);
bool close_simulated(int fd);
int shared_file(int64_t segment); /* a descriptor for an object of shm_open */
bool segment_of_file(int fd, int64_t *segment);
extern bool ignores_sigpipe;
_Noreturn void ends(int status); /* as wait tells it */

#endif
