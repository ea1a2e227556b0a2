/* Streams of stdio.  libc locks them by itself; what counts is who uses the same one, and the same file behind it, in
 * which order.  Standard output is nobody's object: its order is shown, but nothing depends on it. */
#include "libc/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int _IO_file_doallocate(FILE *) __attribute__((weak)); /* of glibc */

void streams_prepare(void)
{
    if (_IO_file_doallocate && !stdout->_IO_buf_base)
        _IO_file_doallocate(stdout);
}

void use_stream(FILE *file, bool writes, void **entry)
{
    settle(entry);
    if (!running || file == stdout || file == stderr)
        return;
    hidden((uintptr_t)file, true, entry);
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

EXPORT ssize_t isospin_getline(char **line, size_t *size, FILE *file)
{
    void **entry = HERE;
    use_stream(file, false, entry);
    access_memory((uintptr_t)line, sizeof *line, true, entry);
    access_memory((uintptr_t)size, sizeof *size, true, entry);
    return getline(line, size, file);
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

EXPORT int isospin_fflush(FILE *file)
{
    if (file)
        use_stream(file, true, HERE);
    return fflush(file);
}

EXPORT int isospin_fclose(FILE *file)
{
    use_stream(file, true, HERE);
    return fclose(file);
}

/* libc's own lock of a stream would stop the whole process; the order of operations on streams is explored anyway. */
EXPORT void flockfile(FILE *file) { (void)file; }

EXPORT void funlockfile(FILE *file) { (void)file; }

EXPORT int ftrylockfile(FILE *file)
{
    (void)file;
    return 0;
}
