/* State outside of the program's memory that its threads share: files, descriptors, random numbers. */
#ifndef ISOSPIN_FILES_H
#define ISOSPIN_FILES_H

#include "runtime.h"

/* Objects that libc or the kernel locks by itself: sharing one is no race, but the order of accesses counts.  Like a
 * free, they become visible operations once two accesses were seen that nothing orders. */
void hidden(uintptr_t object, bool writes, void **entry);
uintptr_t hidden_path(const char *path);   /* a file or directory */
uintptr_t hidden_number(unsigned number);  /* a descriptor, and others by number */
enum { RANDOM_NUMBERS = 1 << 20, ADDRESS_SPACE };

/* Before an operation on a descriptor: its offset, and what it is a descriptor of. */
void use_descriptor(int number, bool writes, void **entry);

/* Is it none of the program's?  Then errno says so. */
bool not_there(int number);
/* Before an operation on a stream. */
struct _IO_FILE;
void use_stream(struct _IO_FILE *file, bool writes, void **entry);

void journal_open(void);
/* Remember what is at this path, before it is changed for the first time. */
void journal(const char *path);
/* Put back everything that was changed. */
void journal_restore(void);

/* An execution begins: descriptors and the current directory are as they were at the start. */
void files_reset(void);
void files_prepare(void);

#endif
