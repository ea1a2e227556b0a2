/* Shared memory: each process has pages of its own at the same addresses, and may not touch them.
 *
 * An access faults; the process asks, gets the bytes as they are now, executes this one instruction (trap flag), tells
 * with its next question what it wrote, and the pages are closed again.  So no access is missed, whoever compiled the
 * code.  The calls that the compiler puts in front of accesses (tsan.c) only tell how many bytes will be touched;
 * without them it is taken to be as much as any instruction can.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define AREA 0x100000000000ul
#define SPAN 0x100000000ul /* for each segment */
enum { MOST_SEGMENTS = 16384, WIDEST = 64, PAGE = 4096, TRAP_FLAG = 0x100, FAULT_WRITES = 2 };

static uint32_t length[MOST_SEGMENTS]; /* as it is mapped here; 0: it is not */
static struct {
    uintptr_t address;
    uint32_t size;
    int how, atomic;
} expected; /* atomic: 1 + the memory order, or 0 */
static struct {
    uintptr_t address;
    uint32_t size;
    bool writes;
} open_now[2];
static int opened;

bool is_shared(const void *address)
{
    uintptr_t at = (uintptr_t)address - AREA;
    return at < MOST_SEGMENTS * SPAN && at % SPAN < length[at / SPAN];
}

bool shared_place(const void *address, int64_t *segment, int64_t *offset)
{
    if (!is_shared(address))
        return false;
    *segment = (int64_t)(((uintptr_t)address - AREA) / SPAN);
    *offset = (int64_t)(((uintptr_t)address - AREA) % SPAN);
    return true;
}

void expect(const volatile void *address, uint32_t size, int how)
{
    uintptr_t at = (uintptr_t)address;
    if (at - AREA < MOST_SEGMENTS * SPAN)
        expected.address = at, expected.size = size, expected.how = how, expected.atomic = 0;
}

void expect_atomic(const volatile void *address, uint32_t size, int how, int order)
{
    expect(address, size, how);
    expected.atomic = 1 + (order & 7); /* without the bits that compilers add */
}

static void protect(uintptr_t address, uint32_t size, int how)
{
    uintptr_t from = address & ~(uintptr_t)(PAGE - 1), to = (address + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    syscall(SYS_mprotect, from, to - from, how);
}

/* ------------------------------------------------------------------------------------------- an access */

static uint32_t width(uintptr_t address, bool writes, int *how, int *atomic)
{
    uint32_t left = length[(address - AREA) / SPAN] - (uint32_t)((address - AREA) % SPAN), size = WIDEST;
    *how = writes ? UPDATES : READS;
    *atomic = 0;
    /* SOUND: what was said counts for the very next access, and only if it is that one. */
    if (expected.address == address && (expected.how != READS) == writes)
        size = expected.size, *how = expected.how, *atomic = expected.atomic;
    expected.address = 0;
    return size < left ? size : left;
}

static void access_memory(uintptr_t address, bool writes, ucontext_t *context)
{
    if (!is_shared((void *)address))
        return;
    static const char *const names[] = {[READS] = CALL_READ, [WRITES] = CALL_WRITE, [UPDATES] = CALL_UPDATE};
    unsigned char bytes[WIDEST];
    int how, atomic;
    uint32_t size = width(address, writes, &how, &atomic);
    int64_t segment = (int64_t)((address - AREA) / SPAN), offset = (int64_t)((address - AREA) % SPAN);
    if (opened == 2)
        outside("an instruction that accesses shared memory at three places");
    bool before = flushing;
    flushing = false;
    place = program_place((void *)context->uc_mcontext.gregs[REG_RIP], (void *)context->uc_mcontext.gregs[REG_RSP]);
    ask(&(struct question){.kind = names[how], .args = {segment, offset, size, atomic}, .out = bytes, .room = size});
    place = NULL;
    flushing = before;
    protect(address, size, PROT_READ | PROT_WRITE);
    memcpy((void *)address, bytes, size);
    if (!writes && !opened)
        protect(address, size, PROT_READ); /* the same instruction may write beside it */
    open_now[opened].address = address, open_now[opened].size = size, open_now[opened].writes = writes;
    opened++;
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* Does the instruction access one place in memory?  Those of strings access two, each of a known size; SOUND: pages are
 * opened as a whole, so a second place on the same page would not fault. */
static int string_instruction(const unsigned char *code, uint32_t *size)
{
    bool wide = false, narrow = false;
    for (; (*code & 0xf0) == 0x40 || *code == 0x66 || *code == 0xf2 || *code == 0xf3; code++) {
        wide |= (*code & 0xf8) == 0x48;
        narrow |= *code == 0x66;
    }
    *size = !(*code & 1) ? 1 : wide ? 8 : narrow ? 2 : 4;
    bool gathers = (code[0] == 0xc4 && (code[1] & 0x1f) == 2 && (code[3] & 0xfc) == 0x90) ||
                   (code[0] == 0x62 && (code[1] & 7) == 2 && ((code[4] & 0xfc) == 0x90 || (code[4] & 0xfc) == 0xa0));
    if (gathers || (code[0] == 0x0f && code[1] == 0xae))
        outside("an instruction that accesses many places of shared memory");
    return *code >= 0xa4 && *code <= 0xa7 ? *code & ~1 : 0;
}

enum { MOVES = 0xa4, COMPARES = 0xa6 };

static void access_strings(int which, uint32_t size, ucontext_t *context)
{
    uintptr_t from = (uintptr_t)context->uc_mcontext.gregs[REG_RSI],
              to = (uintptr_t)context->uc_mcontext.gregs[REG_RDI];
    expect((void *)from, size, READS);
    access_memory(from, false, context);
    expect((void *)to, size, which == MOVES ? UPDATES : READS);
    access_memory(to, which == MOVES, context);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *now = context;
    int error = errno;
    if (info->si_code <= 0 || !is_shared(info->si_addr))
        on_crash(signal, info, now);
    uint32_t size;
    int strings = string_instruction((void *)now->uc_mcontext.gregs[REG_RIP], &size);
    if (strings)
        access_strings(strings, size, now);
    else
        access_memory((uintptr_t)info->si_addr, now->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES, now);
    errno = error;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *now = context;
    if (!opened)
        on_crash(signal, info, now);
    for (int i = 0; i < opened; i++) {
        if (open_now[i].writes) {
            memcpy(stored.bytes + stored.size, (void *)open_now[i].address, open_now[i].size);
            stored.size += open_now[i].size;
        }
    }
    for (int i = 0; i < opened; i++)
        protect(open_now[i].address, open_now[i].size, PROT_NONE);
    opened = 0;
    now->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

void memory_start(void)
{
    handle(SIGSEGV, on_fault);
    handle(SIGBUS, on_fault);
    handle(SIGTRAP, on_trap);
}

/* ------------------------------------------------------------------------------------------- copies */

enum { WORD = 8 };

const void *borrow(const void *from, size_t size, void *spare)
{
    if (!size || !is_shared(from))
        return from;
    const volatile char *at = from;
    for (size_t i = 0; i < size; i += WORD) {
        uint32_t count = size - i < WORD ? (uint32_t)(size - i) : WORD;
        if (count == WORD) {
            expect(at + i, WORD, READS);
            uint64_t word = *(const volatile uint64_t *)(at + i);
            memcpy((char *)spare + i, &word, WORD);
        } else {
            for (uint32_t j = 0; j < count; j++)
                expect(at + i + j, 1, READS), ((char *)spare)[i + j] = at[i + j];
        }
    }
    return spare;
}

void give(void *to, const void *from, size_t size)
{
    if (!size)
        return;
    if (!is_shared(to)) {
        memcpy(to, from, size);
        return;
    }
    volatile char *at = to;
    size_t i = 0;
    for (; i + WORD <= size; i += WORD) {
        uint64_t word;
        memcpy(&word, (const char *)from + i, WORD);
        expect(at + i, WORD, WRITES);
        *(volatile uint64_t *)(at + i) = word;
    }
    for (; i < size; i++)
        expect(at + i, 1, WRITES), at[i] = ((const char *)from)[i];
}

/* ------------------------------------------------------------------------------------------- mappings */

static void *attach(int64_t segment, size_t size)
{
    if (segment < 0 || segment >= MOST_SEGMENTS || size >= SPAN)
        outside("so much shared memory");
    void *base = (void *)(AREA + (uintptr_t)segment * SPAN);
    if (length[segment] < size) {
        syscall(SYS_mmap, base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);
        length[segment] = (uint32_t)((size + PAGE - 1) / PAGE * PAGE);
    }
    return base;
}

static void *map(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    int64_t segment;
    bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    if (file >= 0 && !(flags & MAP_ANONYMOUS) && segment_of_file(file, &segment)) {
        if (!shared || offset)
            outside("mmap of a part or a copy of a shared memory object");
        return attach(segment, size);
    }
    if (shared && flags & MAP_ANONYMOUS)
        return attach(ASK(CALL_MAP, (int64_t)size), size);
    if (shared && protection & PROT_WRITE)
        outside("mmap of a file that can be written");
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

EXPORT void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return map(address, size, protection, flags, file, offset);
}

EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return map(address, size, protection, flags, file, offset);
}

EXPORT int munmap(void *address, size_t size)
{
    return is_shared(address) ? 0 : (int)syscall(SYS_munmap, address, size);
}

EXPORT int mprotect(void *address, size_t size, int protection)
{
    if (is_shared(address))
        outside("mprotect of shared memory");
    return (int)syscall(SYS_mprotect, address, size, protection);
}

EXPORT int msync(void *address, size_t size, int flags)
{
    return is_shared(address) ? 0 : (int)syscall(SYS_msync, address, size, flags);
}

EXPORT int shmget(key_t key, size_t size, int flags) { return (int)ASK(CALL_SHMGET, key, (int64_t)size, flags); }

EXPORT void *shmat(int id, const void *address, int flags)
{
    if (address || flags & ~SHM_RDONLY)
        outside("shmat with an address or flags");
    int64_t size = ASK(CALL_SHMAT, id);
    return size < 0 ? (void *)-1 : attach(id, (size_t)size);
}

EXPORT int shmdt(const void *address)
{
    if (is_shared(address))
        return 0;
    errno = EINVAL;
    return -1;
}

EXPORT int shmctl(int id, int command, struct shmid_ds *unused)
{
    (void)unused;
    if (command != IPC_RMID)
        outside("shmctl other than IPC_RMID");
    return (int)ASK(CALL_SHMCTL, id, command);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    (void)mode;
    int64_t segment = ASK_WITH(CALL_SHM_OPEN, name, strlen(name), flags);
    return segment < 0 ? -1 : shared_file(segment);
}

EXPORT int shm_unlink(const char *name) { return (int)ASK_WITH(CALL_SHM_UNLINK, name, strlen(name)); }

EXPORT int ftruncate(int file, off_t size)
{
    int64_t segment;
    if (!segment_of_file(file, &segment))
        outside("ftruncate of a file");
    return (int)ASK(CALL_FTRUNCATE, segment, size);
}

EXPORT int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
