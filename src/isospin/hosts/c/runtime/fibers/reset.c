/* Back to the initial state, in the same process: the writable data of the program and of every library are copied
 * back, heaps and stacks are cleared.  The runtime's own data stay, and the dynamic linker's: nothing is loaded after
 * the start (a program that does so gets a process for each execution).
 *
 * Differs for large data: copying costs what there is, not what was changed, so these pages become a private mapping of
 * their initial content, and what was written to is dropped.  Differs for libraries: few of their pages are ever
 * written, so they are protected, and a page is copied back from its first write on.
 *
 * A worked example (tests/data/programs/c/own_range.c runs it): `int count = 1`, a mutex, and two threads that each
 * allocate a block, take the mutex and add 1.  The first execution ends with count == 3.  Then the data of the program
 * are copied back: count is 1, and the mutex is free, since who holds it is written in the mutex itself.  The ranges of
 * both threads are cleared: blocks, stacks as far down as they were used, what is local to the thread.  They are unborn
 * again.  What the search knows is in the arena, which is none of these pieces: it lets the other thread lock first,
 * and the second execution finds 1 and ends with 3 again.
 */
#include "runtime.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PIECES = 256, LARGE = 1 << 18, PAGE = 4096, STACK_SLACK = 8192 };

static struct piece pieces[MOST_PIECES];
static int piece_count;
static bool users; /* the module that is being looked at is the program itself */
static char dropped; /* the copy of a piece that has none */
static struct execution first;
static struct thread first_thread;

void *own_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        broken("there is not enough memory for a copy of the program's data");
    return memory;
}

/* ---------------------------------------------------------------- what there is */

static void add_piece(uintptr_t from, uintptr_t to)
{
    if (from >= to)
        return;
    if (piece_count == MOST_PIECES)
        broken("the program has too many libraries");
    pieces[piece_count++] = (struct piece){.from = (char *)from, .size = to - from, .users = users};
}

static void add_large(uintptr_t from, uintptr_t to)
{
    uintptr_t head = (from + PAGE - 1) & ~(uintptr_t)(PAGE - 1), tail = (to + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    int file = memfd_create("isospin-data", MFD_CLOEXEC);
    bool written = file >= 0;
    for (uintptr_t at = head; written && at < tail;) {
        ssize_t n = write(file, (void *)at, tail - at);
        written = n > 0;
        at += written ? (uintptr_t)n : 0;
    }
    void *mapped = MAP_FAILED;
    if (written)
        mapped = mmap((void *)head, tail - head, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    if (file >= 0)
        close(file);
    if (mapped == MAP_FAILED) {
        add_piece(from, to);
        return;
    }
    add_piece(from, head);
    add_piece(head, tail);
    pieces[piece_count - 1].copy = &dropped;
}

static bool is_relro(const struct dl_phdr_info *module, uintptr_t *from, uintptr_t *to)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO)
            continue;
        *from = module->dlpi_addr + part->p_vaddr;
        *to = (*from + part->p_memsz) & ~(uintptr_t)(PAGE - 1);
        return true;
    }
    return false;
}

static void add_segment(const struct dl_phdr_info *module, const ElfW(Phdr) * part)
{
    uintptr_t from = module->dlpi_addr + part->p_vaddr, to = from + part->p_memsz, relro, relro_end;
    if (is_relro(module, &relro, &relro_end) && relro >= from && relro_end <= to && relro_end > from)
        from = relro_end; /* it stands at the beginning, and nobody writes it any more */
    if (to - from < LARGE)
        add_piece(from, to);
    else
        add_large(from, to);
}

static bool contains(const struct dl_phdr_info *module, uintptr_t address)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (module->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static struct code {
    uintptr_t from, to;
} users_code, libc_code;

bool is_users_code(const void *pc) { return (uintptr_t)pc - users_code.from < users_code.to - users_code.from; }

bool is_libc_code(const void *pc) { return (uintptr_t)pc - libc_code.from < libc_code.to - libc_code.from; }

static void add_code(const struct dl_phdr_info *module, struct code *code)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        uintptr_t from = module->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        code->from = code->from && code->from < from ? code->from : from;
        code->to = code->to > to ? code->to : to;
    }
}

static int add_module(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size, (void)unused;
    users = !module->dlpi_name || !*module->dlpi_name;
    uintptr_t linker = getauxval(AT_BASE), kernel = getauxval(AT_SYSINFO_EHDR);
    if (contains(module, (uintptr_t)&pieces) || (linker && contains(module, linker)) || contains(module, kernel))
        return 0;
    if (users)
        add_code(module, &users_code);
    if (contains(module, (uintptr_t)memfd_create))
        add_code(module, &libc_code);
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_W)
            add_segment(module, &module->dlpi_phdr[i]);
    return 0;
}

int reset_pieces(const struct piece **list)
{
    *list = pieces;
    return piece_count;
}

bool reset_covers(uintptr_t from, size_t size)
{
    if (region_owner(from) >= 0 && region_owner(from) == region_owner(from + size - 1))
        return true;
    for (int i = 0; i < piece_count; i++) {
        uintptr_t offset = from - (uintptr_t)pieces[i].from;
        if (offset < pieces[i].size && pieces[i].size - offset >= size)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- the initial content */

static const char *initial(uintptr_t where)
{
    for (int i = 0; i < piece_count; i++) {
        uintptr_t offset = where - (uintptr_t)pieces[i].from;
        if (offset < pieces[i].size && pieces[i].size - offset >= sizeof where)
            return pieces[i].copy ? pieces[i].copy + offset : NULL;
    }
    return tls_first(where);
}

/* libc keeps random words (`AT_RANDOM`): their last bytes and the zeros that follow are like an address once in a few
 * thousand runs. */
bool is_from_before(uintptr_t where, uintptr_t word)
{
    const char *was = region_owner(word) > 0 && first.threads <= 1 ? initial(where) : NULL;
    return was && memcmp(was, &word, sizeof word) == 0;
}

/* ---------------------------------------------------------------- saving and putting back */

void reset_prepare(void)
{
    streams_prepare();
    heap_save();
    tls_prepare();
    dl_iterate_phdr(add_module, NULL);
    first = now;
    first_thread = *thread_of(0);
    for (int i = 0; i < piece_count; i++)
        if (!pieces[i].copy) {
            char *copy = own_memory(pieces[i].size + PAGE); /* pages are copied as a whole */
            pieces[i].copy = memcpy(copy, pieces[i].from, pieces[i].size);
        } else {
            pieces[i].copy = NULL;
        }
}

static void clear_stack(struct thread *thread)
{
    uintptr_t top = thread->self + REGION_SIZE, least = thread->self + STACK_FROM;
    uintptr_t low = thread->stack_low - STACK_SLACK < least ? least : thread->stack_low - STACK_SLACK;
    if (top - low < LARGE)
        memset((void *)low, 0, top - low);
    else
        madvise((void *)least, top - least, MADV_DONTNEED);
}

static void reset_thread(struct thread *thread)
{
    clear_stack(thread);
    heap_reset(thread);
    memset((void *)(thread->self + SPECIFIC_FROM), 0, (size_t)thread->specific * sizeof(void *));
    thread->life = UNBORN;
}

/* ---------------------------------------------------------------- pages of libraries */

enum { MOST_PAGES = 1024 };
static struct page {
    char *from;
    const char *copy;
} written[MOST_PAGES];
static int written_count;
static bool protected;

static bool by_page(const struct piece *piece)
{
    return piece->copy && !piece->users && (uintptr_t)piece->from % PAGE == 0;
}

static void protect_libraries(void)
{
    protected = true;
    for (int i = 0; i < piece_count; i++)
        if (by_page(&pieces[i]))
            mprotect(pieces[i].from, pieces[i].size, PROT_READ);
}

bool reset_unprotect(uintptr_t address)
{
    char *page = (char *)(address & ~(uintptr_t)(PAGE - 1));
    for (int i = 0; protected && i < piece_count; i++) {
        const struct piece *piece = &pieces[i];
        if (!by_page(piece) || address - (uintptr_t)piece->from >= ((piece->size + PAGE - 1) & ~(size_t)(PAGE - 1)))
            continue;
        if (written_count == MOST_PAGES || mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0)
            return false;
        written[written_count++] = (struct page){page, piece->copy + (page - piece->from)};
        return true;
    }
    return false;
}

static bool is_written(const char *page)
{
    for (int i = 0; i < written_count; i++)
        if (written[i].from == page)
            return true;
    return false;
}

int reset_unwritten(uintptr_t address)
{
    size_t before = 0;
    const char *page = (char *)(address & ~(uintptr_t)(PAGE - 1));
    for (int i = 0; protected && i < piece_count; i++) {
        if (!by_page(&pieces[i]))
            continue;
        if (address - (uintptr_t)pieces[i].from < pieces[i].size)
            return is_written(page) ? -1 : (int)(before + (size_t)(page - pieces[i].from) / PAGE);
        before += (pieces[i].size + PAGE - 1) / PAGE;
    }
    return -1;
}

/* ---------------------------------------------------------------- putting back */

static void restore_piece(const struct piece *piece)
{
    if (!piece->copy)
        madvise(piece->from, piece->size, MADV_DONTNEED);
    else if (!protected || !by_page(piece))
        memcpy(piece->from, piece->copy, piece->size);
}

void reset_memory(void)
{
    for (int i = 0; i < now.threads; i++)
        if (thread_of(i)->life != UNBORN)
            reset_thread(thread_of(i));
    for (int i = 0; i < piece_count; i++)
        restore_piece(&pieces[i]);
    for (int i = 0; i < written_count; i++)
        memcpy(written[i].from, written[i].copy, PAGE);
    if (!protected)
        protect_libraries();
    tls_reset();
    now = first;
    *thread_of(0) = first_thread;
}
