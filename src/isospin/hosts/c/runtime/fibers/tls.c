/* Thread-local storage: each thread has its own block in its region, made from the initial image of every module.
 *
 * Differs from what the dynamic linker does for a new thread: libc's own part is a copy of the main thread's, so that
 * libc's functions (errno, locale, stdio) work in a fiber.  Main itself keeps the block that it was given.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct slot { /* of the dynamic linker's table: where the block of a module is */
    uintptr_t value, to_free;
};
struct head { /* libc's record of a thread begins so */
    uintptr_t self;
    struct slot *table;
    uintptr_t self_again;
};

enum { LARGEST_TABLE = 1024 };

static uintptr_t base, low; /* of main: its register, and the lowest block */
static size_t below, above; /* bytes around the register */
static char *first_of_main, *first_of_others;

static int find_blocks(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size, (void)unused;
    uintptr_t block = (uintptr_t)module->dlpi_tls_data;
    if (block && block < base && block < low)
        low = block;
    return 0;
}

/* The executable stands first: its variables begin afresh in every thread. */
static int first_image(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < module->dlpi_phnum && module->dlpi_tls_data; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type != PT_TLS)
            continue;
        char *to = first_of_others + ((uintptr_t)module->dlpi_tls_data - low);
        memset(to, 0, part->p_memsz);
        memcpy(to, (void *)(module->dlpi_addr + part->p_vaddr), part->p_filesz);
    }
    return 1;
}

void tls_prepare(void)
{
    const unsigned *size = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
    base = low = (uintptr_t)fiber_base();
    dl_iterate_phdr(find_blocks, NULL);
    low &= ~(uintptr_t)63;
    below = base - low;
    above = size ? *size : 2304;
    if (below > TLS_TOP - DTV_FROM - LARGEST_TABLE * sizeof(struct slot))
        broken("the program has too many thread-local variables");
    first_of_main = own_memory(below + above);
    first_of_others = own_memory(below + above);
    memcpy(first_of_main, (void *)low, below + above);
    memcpy(first_of_others, (void *)low, below + above);
    dl_iterate_phdr(first_image, NULL);
    thread_of(0)->tls = (void *)base;
}

void tls_reset(void) { memcpy((void *)low, first_of_main, below + above); }

void tls_block(const struct thread *thread, char **from, size_t *size)
{
    *from = (char *)thread->tls - below;
    *size = below + above;
}

const char *tls_first(uintptr_t where)
{
    int owner = region_owner(where);
    uintptr_t from = owner > 0 ? region_of(owner) + TLS_TOP - below : low;
    if (where - from > below + above - sizeof where)
        return NULL;
    return (owner > 0 ? first_of_others : first_of_main) + (where - from);
}

/* The table of a thread, whose blocks are as far from its register as main's are from main's. */
static struct slot *new_table(struct thread *thread)
{
    const struct slot *table = ((struct head *)base)->table - 1;
    size_t entries = table->value + 2;
    struct slot *copy = (struct slot *)(thread->self + DTV_FROM);
    if (entries > LARGEST_TABLE)
        broken("the program has too many modules with thread-local variables");
    memcpy(copy, table, entries * sizeof *copy);
    for (size_t i = 2; i < entries; i++)
        if (copy[i].value - low < below)
            copy[i].value += (uintptr_t)thread->tls - base;
    return copy + 1;
}

void tls_open(struct thread *thread)
{
    char *top = (char *)thread->self + TLS_TOP;
    memcpy(top - below, first_of_others, below + above);
    thread->tls = top;
    struct head *head = (struct head *)top;
    head->self = head->self_again = (uintptr_t)top;
    head->table = new_table(thread);
}
