/* Asking and being answered. */
#define _GNU_SOURCE
#include "runtime.h"

#include <link.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

struct call_header {
    char kind[KIND_SIZE];
    uint64_t place;
    int64_t args[MOST_ARGUMENTS];
    uint32_t stored, size;
};

struct answer_header {
    int64_t value;
    int32_t error;
    uint32_t size;
};

_Static_assert(sizeof(struct call_header) == CALL_SIZE && sizeof(struct answer_header) == ANSWER_SIZE, "constants.py");

const void *place;
bool flushing = true;
unsigned long cpu_seconds = 2;
struct stored stored;
static uintptr_t text_from, text_to;

static int look_at_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            text_from = info->dlpi_addr + part->p_vaddr;
            text_to = text_from + part->p_memsz;
        }
    }
    return 1; /* the first one is the program */
}

void find_program(void) { dl_iterate_phdr(look_at_program, NULL); }

static bool is_users(uintptr_t pc) { return pc >= text_from && pc < text_to; }

/* Libraries keep no chain of frames, so the words of the stack are looked through: only for showing. */
const void *program_place(const void *pc, const void *stack)
{
    enum { FAR = 2000 };
    const uintptr_t *word = stack;
    if (is_users((uintptr_t)pc))
        return pc;
    for (int i = 0; i < FAR; i++)
        if (is_users(word[i]))
            return (const void *)(word[i] - 1); /* the call, not what follows it */
    return NULL;
}

/* From a call into this library: its own frames are chained. */
static const void *calling_place(const uintptr_t *frame)
{
    enum { DEEP = 8 };
    const uintptr_t *first = frame;
    for (int i = 0; i < DEEP && frame; i++, frame = (const uintptr_t *)frame[0]) {
        if (is_users(frame[1]))
            return (const void *)(frame[1] - 1);
        if (frame[0] <= (uintptr_t)frame)
            break;
    }
    return program_place(NULL, first);
}

void watch_time(void)
{
    struct itimerval limit = {.it_value.tv_sec = (time_t)cpu_seconds};
    syscall(SYS_setitimer, ITIMER_PROF, &limit, NULL);
}

static void receive(void *to, size_t size)
{
    char *at = to;
    while (size) {
        long got = syscall(SYS_read, CHANNEL, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            syscall(SYS_exit_group, 0); /* nobody wants to know any more */
        at += got, size -= (size_t)got;
    }
}

static void send_all(struct iovec *part, int count)
{
    while (count) {
        long sent = syscall(SYS_writev, CHANNEL, part, count);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            syscall(SYS_exit_group, 0);
        while (count && (size_t)sent >= part->iov_len)
            sent -= (long)part->iov_len, part++, count--;
        if (count)
            part->iov_base = (char *)part->iov_base + sent, part->iov_len -= (size_t)sent;
    }
}

static void send_call(struct question *q, const void *pc)
{
    struct call_header header = {.place = (uintptr_t)pc, .stored = stored.size, .size = q->size};
    strncpy(header.kind, q->kind, sizeof header.kind - 1);
    memcpy(header.args, q->args, sizeof header.args);
    struct iovec parts[] = {
        {&header, sizeof header}, {stored.bytes, stored.size}, {(void *)(uintptr_t)q->data, q->size}};
    send_all(parts, 3);
    stored.size = 0;
}

int64_t ask(struct question *q)
{
    struct answer_header answer;
    int before = errno;
    if (flushing)
        fflush(stdout);
    send_call(q, place ? place : calling_place(__builtin_frame_address(0)));
    receive(&answer, sizeof answer);
    q->got = answer.size;
    if (answer.size > q->room)
        syscall(SYS_exit_group, 3); /* never */
    receive(q->out, answer.size);
    watch_time();
    errno = answer.error ? answer.error : before;
    return answer.value;
}

void tell(struct question *q)
{
    char byte;
    if (flushing)
        fflush(stdout);
    send_call(q, place ? place : calling_place(__builtin_frame_address(0)));
    receive(&byte, 1);
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

void outside(const char *what)
{
    tell(&(struct question){.kind = CALL_OUTSIDE, .data = what, .size = (uint32_t)strlen(what)});
}
