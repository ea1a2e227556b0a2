/* Calls of functions that are in libraries: what they touch is announced, or the verdict says that nobody saw it.
 *
 * The executable is linked so that all its names are bound before it runs (build.py), so the table that it jumps
 * through is complete when we come: what leads into a library leads to a stub from then on.
 */
#include "strangers/strangers.h"

#include "libc/announce.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WORDS = 6, STUB_SIZE = 16 };

extern const char stranger_stubs[];
extern int isospin_user_main(int, char **, char **);

static struct stranger {
    void *function;
    const char *name, *touches; /* NULL: nobody knows */
} met[MOST_STRANGERS];
static unsigned strangers;

/* ---------------------------------------------------------------- at a call */

/* What others did is over and ordered before, what they will do begins after. */
static bool is_alone(void)
{
    for (int i = 0; i < now.threads; i++) {
        const struct thread *other = thread_of(i);
        if (other != current && other->life != UNBORN && !(other->life == ENDED && other->joined))
            return false;
    }
    return true;
}

/* SOUND: what is written to cout and its like is nobody's object, as standard output is for stdio; and the standard
 * allows threads to use them without an order. */
static bool is_standard_stream(uintptr_t stream)
{
    static const char *const names[] = {"_ZSt4cout",  "_ZSt4cerr",  "_ZSt4clog",
                                        "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uintptr_t)dlsym(RTLD_DEFAULT, names[i]) == stream)
            return true;
    return false;
}

static void announce(const char *touches, const uintptr_t word[WORDS], void **entry)
{
    for (int i = 0; *touches && i < WORDS; i++) {
        char *rest = (char *)touches + 1;
        size_t size = strchr("rw", *touches) ? strtoul(rest, &rest, 10) : i + 1 < WORDS ? word[i + 1] : 0;
        switch (*touches) {
        case 't':
            if (word[i])
                reads_text((const char *)word[i], entry);
            break;
        case 'f':
            use_stream((FILE *)word[i], true, entry);
            break;
        case 's':
            if (!is_standard_stream(word[i]))
                WRITES(word[i], sizeof(void *));
            break;
        case 'r':
        case 'R':
            if (word[i])
                READS(word[i], size);
            break;
        case 'w':
        case 'W':
            if (word[i])
                WRITES(word[i], size);
            break;
        }
        i += *touches == 'R' || *touches == 'W';
        touches = rest;
    }
}

/* SOUND: nobody sees what it writes, so nobody may read ahead of a join what it perhaps writes. */
static void meet_beside_others(const char *name, void **entry)
{
    learn_stranger(name, entry);
    if (!known_single_joins()) {
        learn_single_joins();
        abandon();
    }
}

void meet_unseen(const char *name, void **entry)
{
    if (!is_alone())
        meet_beside_others(name, entry);
}

/* Called by a stub; returns where to go on. */
__attribute__((visibility("hidden"), used)) void *meet_stranger(unsigned number, const uintptr_t word[WORDS],
                                                                void **entry)
{
    const struct stranger *this = &met[number];
    if (running) {
        settle(entry); /* it may look at what those do for whom we did not wait yet */
        if (this->touches)
            announce(this->touches, word, entry);
        else
            meet_unseen(this->name, entry);
    }
    return this->function;
}

/* ---------------------------------------------------------------- before the program runs */

struct table { /* of the program's file: what is bound to which name */
    const ElfW(Rela) * binding[2];
    size_t size[2];
    const ElfW(Sym) * symbols;
    const char *names;
    uintptr_t protected;
    size_t protected_size;
};

static void read_table(const ElfW(Dyn) * entry, struct table *table)
{
    for (; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_JMPREL:
            table->binding[0] = (const void *)entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            table->size[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            table->binding[1] = (const void *)entry->d_un.d_ptr;
            break;
        case DT_RELASZ:
            table->size[1] = entry->d_un.d_val;
            break;
        case DT_SYMTAB:
            table->symbols = (const void *)entry->d_un.d_ptr;
            break;
        case DT_STRTAB:
            table->names = (const char *)entry->d_un.d_ptr;
            break;
        }
}

/* The first one is the program. */
static int find_table(struct dl_phdr_info *info, size_t size, void *into)
{
    (void)size;
    struct table *table = into;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            read_table((const void *)(info->dlpi_addr + part->p_vaddr), table);
        if (part->p_type == PT_GNU_RELRO) {
            table->protected = (info->dlpi_addr + part->p_vaddr) & ~4095ul;
            table->protected_size = (info->dlpi_addr + part->p_vaddr + part->p_memsz) - table->protected;
        }
    }
    return 1;
}

static bool is_function(const struct table *table, const ElfW(Rela) * binding)
{
    const ElfW(Sym) *symbol = &table->symbols[ELF64_R_SYM(binding->r_info)];
    int type = ELF64_ST_TYPE(symbol->st_info), kind = ELF64_R_TYPE(binding->r_info);
    if (symbol->st_shndx != SHN_UNDEF || !ELF64_R_SYM(binding->r_info))
        return false;
    if (kind == R_X86_64_JUMP_SLOT)
        return true;
    /* an address that is taken: that of the stub, unless the program has one of its own for it */
    return (kind == R_X86_64_GLOB_DAT || kind == R_X86_64_64) && !symbol->st_value &&
           (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Is it in our own library, or in the program? */
static bool is_under_control(const void *function)
{
    Dl_info its, ours, users;
    dladdr((const void *)strangers_prepare, &ours);
    dladdr((const void *)isospin_user_main, &users);
    return dladdr(function, &its) && (its.dli_fbase == ours.dli_fbase || its.dli_fbase == users.dli_fbase);
}

static void *stub_for(void *function, const char *name, const char *touches)
{
    for (unsigned i = 0; i < strangers; i++)
        if (met[i].function == function)
            return (void *)(stranger_stubs + i * STUB_SIZE);
    if (strangers == MOST_STRANGERS)
        broken("the program calls more functions of libraries than there are stubs for");
    met[strangers] = (struct stranger){function, name, touches};
    return (void *)(stranger_stubs + strangers++ * STUB_SIZE);
}

static const char *name_in(const struct table *table, const ElfW(Rela) * binding)
{
    return table->names + table->symbols[ELF64_R_SYM(binding->r_info)].st_name;
}

bool program_calls(const char *name)
{
    struct table table = {0};
    dl_iterate_phdr(find_table, &table);
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < table.size[i] / sizeof *table.binding[i]; at++)
            if (is_function(&table, &table.binding[i][at]) && strcmp(name_in(&table, &table.binding[i][at]), name) == 0)
                return true;
    return false;
}

static void put_stub(const struct table *table, const ElfW(Rela) * binding)
{
    void **slot = (void **)binding->r_offset;
    if (!is_function(table, binding) || !*slot || is_under_control(*slot))
        return;
    const char *name = name_in(table, binding);
    const char *touches = familiar_touches(name);
    if (!touches || *touches)
        *slot = stub_for(*slot, name, touches);
}

void strangers_prepare(void)
{
    struct table table = {0};
    dl_iterate_phdr(find_table, &table);
    mprotect((void *)table.protected, table.protected_size, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < table.size[i] / sizeof *table.binding[i]; at++)
            put_stub(&table, &table.binding[i][at]);
    mprotect((void *)table.protected, table.protected_size, PROT_READ);
}
