/* State outside of the program's memory that its threads share: files, descriptors, random numbers. */
#ifndef ISOSPIN_FILES_H
#define ISOSPIN_FILES_H

#include "runtime.h"

/* Objects that libc or the kernel locks by itself: sharing one is no race, but the order of accesses counts.  Like a
 * free, they become visible operations once two accesses were seen that nothing orders. */
void hidden(uintptr_t object, bool writes, void **entry);
/* The same of several, at most four. */
struct hidden_use {
    uintptr_t object;
    bool writes;
};
void hidden_uses(const struct hidden_use *uses, int count, void **entry);
uintptr_t hidden_path(const char *path);   /* a file or directory */
uintptr_t hidden_number(unsigned number);  /* a descriptor, and others by number */
enum {
    RANDOM_NUMBERS = 1 << 20,
    ADDRESS_SPACE,
    CURRENT_DIRECTORY,
    MASK_OF_MODES,
    LIMITS,
    SIGNALS,
    TREES, /* and as many behind it as there are threads */
};

/* Before an operation on a descriptor: its offset, and what it is a descriptor of. */
void use_descriptor(int number, bool writes, void **entry);
/* The same where its offset does not count. */
void use_file(int number, bool writes, void **entry);
/* What was opened, under a number of the current thread's own; what it is a descriptor of. */
int own_descriptor(long file, uintptr_t object);
uintptr_t file_object(int number); /* what it is a descriptor of; 0: not known */
/* Somebody else opens descriptors: they are to be closed before the next execution. */
void descriptors_used(void);

/* Is it none of the program's?  Then errno says so. */
bool not_there(int number);
/* Before an operation on a stream. */
struct _IO_FILE;
void use_stream(struct _IO_FILE *file, bool writes, void **entry);

/* Before something is made, removed or renamed; before a file is changed, which may be made by that. */
void change_name(const char *path, void **entry);
void change_file(const char *path, void **entry);
/* The name of what lies below an open directory, for all that is done to names here; `name` has PATH_MAX bytes. */
const char *name_below(int directory, const char *path, char *name);
void paths_prepare(void);
void paths_reset(void);

struct timespec;
struct timespec time_at_start(void); /* of all clocks of the program (clock.c) */

/* The whole name, whatever the current directory is later; the last part need not exist.  `result` has PATH_MAX bytes.
 */
bool whole_name(const char *path, char *result);
/* A file is used that may be mapped (mappings.c); an execution begins. */
void mappings_check(uintptr_t file, bool writes);
void mappings_reset(void);
/* An access to the heap outside of any block: is it to what is mapped?  Then it can be used from now on. */
bool mappings_reach(uintptr_t address);

void journal_open(void);
/* Remember what is at this path, before it is changed for the first time. */
void journal(const char *path);
/* Put back everything that was changed. */
void journal_restore(void);

void limits_prepare(void);
void languages_prepare(void);

/* An execution begins: descriptors and the current directory are as they were at the start. */
void files_reset(void);
void files_prepare(void);

#endif
