/* Streams of stdio.  libc locks them by itself; what counts is who uses the same one, and the same file behind it, in
 * which order.  Standard output is nobody's object: its order is shown, but nothing depends on it. */
#include "libc/announce.h"
#include "strangers/strangers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int _IO_file_doallocate(FILE *) __attribute__((weak)); /* of glibc */

void streams_prepare(void)
{
    if (_IO_file_doallocate && !stdout->_IO_buf_base)
        _IO_file_doallocate(stdout);
}

/* SOUND: a stream that was closed is memory that was freed. */
void use_stream(FILE *file, bool writes, void **entry)
{
    settle(entry);
    if (!running || file == stdout || file == stderr)
        return;
    hidden((uintptr_t)file, true, entry);
    check_alive((uintptr_t)file, sizeof *file, true, entry[1]);
    use_descriptor(fileno(file), writes, entry);
}

EXPORT size_t isospin_fread(void *to, size_t size, size_t count, FILE *file)
{
    void **entry = HERE;
    use_stream(file, false, entry);
    access_memory((uintptr_t)to, size * count, true, entry);
    return fread(to, size, count, file);
}

EXPORT size_t isospin_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    void **entry = HERE;
    use_stream(file, true, entry);
    access_memory((uintptr_t)from, size * count, false, entry);
    return fwrite(from, size, count, file);
}

EXPORT char *isospin_fgets(char *to, int size, FILE *file)
{
    void **entry = HERE;
    use_stream(file, false, entry);
    char *result = fgets(to, size, file);
    if (result)
        write_memory(to, strlen(to) + 1, entry);
    return result;
}

EXPORT int isospin_fgetc(FILE *file)
{
    use_stream(file, false, HERE);
    return fgetc(file);
}

EXPORT int isospin_getc(FILE *file)
{
    use_stream(file, false, HERE);
    return getc(file);
}

EXPORT int isospin_getchar(void)
{
    use_stream(stdin, false, HERE);
    return getchar();
}

/* SOUND: libc allocates the buffer, or a larger one; what it writes to it is told afterwards. */
static ssize_t read_line(char **line, size_t *size, int end, FILE *file, void **entry)
{
    use_stream(file, false, entry);
    WRITES(line, sizeof *line);
    WRITES(size, sizeof *size);
    ssize_t result = getdelim(line, size, end, file);
    if (result >= 0)
        WRITES(*line, (size_t)result + 1);
    return result;
}

EXPORT ssize_t isospin_getline(char **line, size_t *size, FILE *file)
{
    return read_line(line, size, '\n', file, HERE);
}

EXPORT ssize_t isospin_getdelim(char **line, size_t *size, int end, FILE *file)
{
    return read_line(line, size, end, file, HERE);
}

EXPORT int isospin_fputc(int byte, FILE *file)
{
    use_stream(file, true, HERE);
    return fputc(byte, file);
}

EXPORT int isospin_putc(int byte, FILE *file)
{
    use_stream(file, true, HERE);
    return putc(byte, file);
}

EXPORT int isospin_fseek(FILE *file, long offset, int whence)
{
    use_stream(file, true, HERE); /* what is in the buffer is written */
    return fseek(file, offset, whence);
}

EXPORT long isospin_ftell(FILE *file)
{
    use_stream(file, false, HERE);
    return ftell(file);
}

EXPORT void isospin_rewind(FILE *file)
{
    use_stream(file, true, HERE);
    rewind(file);
}

EXPORT int isospin_ungetc(int byte, FILE *file)
{
    use_stream(file, false, HERE);
    return ungetc(byte, file);
}

EXPORT int isospin_fflush(FILE *file)
{
    if (file)
        use_stream(file, true, HERE);
    return fflush(file);
}

/* SOUND: what libc does to a buffer of the program at the operations that follow is not told. */
EXPORT int isospin_setvbuf(FILE *file, char *buffer, int how, size_t size)
{
    void **entry = HERE;
    use_stream(file, true, entry);
    if (running && buffer)
        meet_unseen("setvbuf", entry);
    return setvbuf(file, buffer, how, size);
}

EXPORT void isospin_setbuf(FILE *file, char *buffer)
{
    void **entry = HERE;
    use_stream(file, true, entry);
    if (running && buffer)
        meet_unseen("setbuf", entry);
    setbuf(file, buffer);
}

EXPORT int isospin_fclose(FILE *file)
{
    use_stream(file, true, HERE);
    return fclose(file);
}

/* ---------------------------------------------------------------- directories */

static void use_directory(DIR *directory, void **entry)
{
    settle(entry);
    if (!running)
        return;
    hidden((uintptr_t)directory, true, entry);
    check_alive((uintptr_t)directory, 1, true, entry[1]);
    use_descriptor(dirfd(directory), false, entry);
}

/* SOUND: what it returns lies in the stream, and is overwritten by the next call. */
EXPORT struct dirent *isospin_readdir(DIR *directory)
{
    void **entry = HERE;
    use_directory(directory, entry);
    struct dirent *next = readdir(directory);
    if (next)
        WRITES(next, next->d_reclen);
    return next;
}

EXPORT struct dirent *isospin_readdir64(DIR *directory) __attribute__((alias("isospin_readdir")));

EXPORT int isospin_closedir(DIR *directory)
{
    use_directory(directory, HERE);
    return closedir(directory);
}

EXPORT void isospin_rewinddir(DIR *directory)
{
    use_directory(directory, HERE);
    rewinddir(directory);
}

EXPORT long isospin_telldir(DIR *directory)
{
    use_directory(directory, HERE);
    return telldir(directory);
}

EXPORT void isospin_seekdir(DIR *directory, long place)
{
    use_directory(directory, HERE);
    seekdir(directory, place);
}

/* ---------------------------------------------------------------- locks of streams */

/* libc's own lock of a stream would stop the whole process; the order of operations on streams is explored anyway. */
EXPORT void flockfile(FILE *file) { (void)file; }

EXPORT void funlockfile(FILE *file) { (void)file; }

EXPORT int ftrylockfile(FILE *file)
{
    (void)file;
    return 0;
}
