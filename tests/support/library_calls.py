"""Calls of library functions, and what each does to memory that it is given: read off the manual pages, not our tables.

Every call is made on the objects of a pool, which two threads share or have each for themselves.  So it is known of any
two calls whether they race: if they have an object in common that one of them writes, and no lock that both take.
"""

from __future__ import annotations

from typing import NamedTuple

# Objects of a pool, and what they are at first.  Every call below touches the first bytes of each object that it names.
OBJECTS = {
    "char text[32]": '"abc"',
    "char more[32]": '"abd"',
    "char number[32]": '"42"',
    "char path[512]": None,
    "char other[512]": None,
    "char format[32]": '"%s"',
    "char mode[8]": '"r"',
    "char buffer[512]": None,
    "char pattern[32]": '"a.c"',
    "char address[32]": '"127.0.0.1"',
    "char date[32]": '"2026-01-02"',
    "char date_format[32]": '"%Y-%m-%d"',
    "char scanned[32]": '"%d%n"',
    "char *end": None,
    "int integer": None,
    "int count": None,
    "long word": None,
    "double real": None,
    "size_t size": "3",
    "time_t time": "86400",
    "struct tm tm": "{.tm_mday = 2, .tm_year = 126}",
    "struct timespec span": None,
    "struct timeval moment": None,
    "struct stat status": None,
    "struct rlimit limit": None,
    "struct rusage usage": None,
    "struct tms ticks": None,
    "struct utsname system": None,
    "struct in_addr host": "{0x0100007f}",
    "struct sigaction action": None,
    "struct sigaction old_action": None,
    "sigset_t set": None,
    "struct addrinfo *found": None,
    "unsigned seed": "1",
    "unsigned short state[3]": None,
    "short table[4]": "{4, 3, 2, 1}",
    "wchar_t wide[32]": 'L"abc"',
    "wchar_t more_wide[32]": 'L"abd"',
    "struct iovec vector[1]": None,
    "regex_t compiled": None,
    "regmatch_t matches[2]": None,
    "pthread_attr_t attributes": None,
}
HEADERS = (
    "arpa/inet.h", "assert.h", "ctype.h", "dirent.h", "err.h", "errno.h", "fcntl.h", "fnmatch.h", "ftw.h", "inttypes.h",
    "libgen.h", "math.h", "netdb.h", "pthread.h", "regex.h", "search.h", "signal.h", "stdarg.h", "stdio.h", "stdlib.h",
    "string.h", "strings.h", "sys/mman.h", "sys/resource.h", "sys/stat.h", "sys/time.h", "sys/times.h", "sys/uio.h",
    "sys/utsname.h", "time.h", "unistd.h", "wchar.h",
)  # fmt: skip


class Call(NamedTuple):
    """A call in C, and the objects of its pool that it reads and writes."""

    name: str
    code: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def races_with(self, other: Call) -> bool:
        """On one pool, where nothing orders the two."""
        return any(
            set(one.writes) & {*another.reads, *another.writes} for one, another in ((self, other), (other, self))
        )


def name_of(declaration: str) -> str:
    """The object in a declaration: the last word, without stars and sizes."""
    return declaration.split("[")[0].replace("*", " ").split()[-1]


def _call(code: str, reads: str = "", writes: str = "") -> Call:
    return Call(code.split("(")[0].split()[-1], code, tuple(reads.split()), tuple(writes.split()))


_TABLE = (
    # texts and blocks of bytes
    ("result = strlen(p->text)", "text"), ("strcpy(p->buffer, p->text)", "text", "buffer"),
    ("result = strcmp(p->text, p->more)", "text more"), ("memcpy(p->buffer, p->text, 4)", "text", "buffer"),
    ("stpncpy(p->buffer, p->text, 8)", "text", "buffer"), ("strxfrm(p->buffer, p->text, 8)", "text", "buffer"),
    ("result = strverscmp(p->text, p->more)", "text more"), ("result = bcmp(p->text, p->more, 3)", "text more"),
    ("bcopy(p->text, p->buffer, 4)", "text", "buffer"), ("place = rawmemchr(p->text, 'c')", "text"),
    ("place = index(p->text, 'c')", "text"), ("place = rindex(p->text, 'c')", "text"), ("dirname(p->path)", "", "path"),
    ("__xpg_basename(p->path)", "", "path"), ("fnmatch(p->pattern, p->text, 0)", "pattern text"),
    ("strdup(p->text)", "text"), ("strtok_r(p->text, p->pattern, &p->end)", "pattern", "text end"),
    ("strerror_r(2, p->buffer, sizeof p->buffer)", "", "buffer"),
    # printing
    ("printf(p->format, p->text)", "format text"), ("sprintf(p->buffer, \"%s\", p->text)", "text", "buffer"),
    ("snprintf(p->buffer, 9, \"%.*s\", 3, p->text)", "text", "buffer"),
    ("fprintf(p->out, \"%2$s %1$s\", p->text, p->more)", "text more"),
    ("dprintf(p->file, \"%-5s%*d%s\", p->text, 3, 4, p->more)", "text more"),
    ("asprintf(&p->end, \"%.2s\", p->text)", "text", "end"), ("fputs(p->text, p->out)", "text"),
    ("puts(p->text)", "text"), ("perror(p->text)", "text"), ("warnx(p->format, p->text)", "format text"),
    ("warn(\"%ls%n\", p->wide, &p->count)", "wide", "count"), ("psignal(1, p->text)", "text"),
    ("putchar('a')",), ("putc('a', p->out)",), ("fputc('a', p->out)",),
    # streams
    ("fread(p->buffer, 1, 3, p->in)", "", "buffer"), ("fwrite(p->text, 1, 3, p->out)", "text"),
    ("fgets(p->buffer, 20, p->in)", "", "buffer"), ("fgetc(p->in)",), ("ungetc('a', p->in)",),
    ("fscanf(p->in, \"%31s\", p->buffer)", "", "buffer"), ("feof(p->in)",), ("ferror(p->in)",), ("fseek(p->in, 0, 0)",),
    ("ftell(p->in)",), ("rewind(p->in)",), ("fflush(p->out)",), ("setvbuf(p->out, NULL, _IOLBF, 0)",),
    ("getline(&p->end, &p->size, p->in)", "", "end size"),
    ("getdelim(&p->same_line, &p->room, '\\n', p->in)", "", "line"), ("fclose(fopen(p->path, p->mode))", "path mode"),
    # descriptors
    ("read(p->file, p->buffer, 3)", "", "buffer"), ("write(p->file, p->text, 3)", "text"),
    ("pread(p->file, p->buffer, 3, 0)", "", "buffer"), ("pwrite(p->file, p->text, 3, 0)", "text"),
    ("readv(p->file, p->vector, 1)", "vector", "buffer"), ("writev(p->file, p->vector, 1)", "vector buffer"),
    ("lseek(p->file, 0, SEEK_SET)",), ("fsync(p->file)",), ("close(dup(p->file))",), ("fcntl(p->file, F_GETFL)",),
    ("fstat(p->file, &p->status)", "", "status"), ("ftruncate(p->file, 2)",),
    # names of files
    ("close(open(p->path, O_RDONLY))", "path"), ("stat(p->path, &p->status)", "path", "status"),
    ("lstat(p->path, &p->status)", "path", "status"),
    ("fstatat(AT_FDCWD, p->path, &p->status, 0)", "path", "status"), ("access(p->path, R_OK)", "path"),
    ("unlink(p->path)", "path"), ("rename(p->path, p->other)", "path other"), ("link(p->path, p->other)", "path other"),
    ("symlink(p->path, p->other)", "path other"), ("mkdir(p->other, 0700)", "other"), ("rmdir(p->other)", "other"),
    ("chmod(p->path, 0600)", "path"), ("truncate(p->path, 1)", "path"), ("remove(p->other)", "other"),
    ("readlink(p->path, p->buffer, 9)", "path", "buffer"), ("realpath(p->path, p->buffer)", "path", "buffer"),
    ("openat(AT_FDCWD, p->path, O_RDONLY)", "path"), ("faccessat(AT_FDCWD, p->path, R_OK, 0)", "path"),
    ("unlinkat(AT_FDCWD, p->path, 0)", "path"), ("mkdirat(AT_FDCWD, p->other, 0700)", "other"),
    ("getcwd(p->buffer, sizeof p->buffer)", "", "buffer"), ("umask(022)",), ("closedir(opendir(p->directory))",),
    ("ftw(p->path, visit, 4)", "path"), ("nftw(p->path, visit_all, 4, 0)", "path"),
    # numbers
    ("result = atoi(p->number)", "number"), ("strtol(p->number, &p->end, 10)", "number", "end"),
    ("strtold(p->number, &p->end)", "number", "end"), ("strtoumax(p->number, &p->end, 10)", "number", "end"),
    ("sscanf(p->number, p->scanned, &p->integer, &p->count)", "number scanned", "integer count"),
    ("frexp(2.0, &p->integer)", "", "integer"), ("modf(2.5, &p->real)", "", "real"), ("rand_r(&p->seed)", "", "seed"),
    ("erand48(p->state)", "", "state"), ("nrand48(p->state)", "", "state"),
    ("arc4random_buf(p->buffer, 8)", "", "buffer"),
    # times
    ("time(&p->time)", "", "time"), ("gettimeofday(&p->moment, NULL)", "", "moment"),
    ("clock_gettime(CLOCK_REALTIME, &p->span)", "", "span"), ("nanosleep(&p->span, NULL)", "span"),
    ("localtime_r(&p->time, &p->tm)", "time", "tm"), ("gmtime_r(&p->time, &p->tm)", "time", "tm"),
    ("mktime(&p->tm)", "", "tm"), ("timegm(&p->tm)", "", "tm"), ("asctime_r(&p->tm, p->buffer)", "tm", "buffer"),
    ("ctime_r(&p->time, p->buffer)", "time", "buffer"),
    ("strftime(p->buffer, 99, p->date_format, &p->tm)", "date_format tm", "buffer"),
    ("strptime(p->date, p->date_format, &p->tm)", "date date_format", "tm"),
    ("getrusage(RUSAGE_SELF, &p->usage)", "", "usage"), ("times(&p->ticks)", "", "ticks"),
    # the process and the machine
    ("getenv(p->text)", "text"), ("getrlimit(RLIMIT_NOFILE, &p->limit)", "", "limit"),
    ("uname(&p->system)", "", "system"),
    ("gethostname(p->buffer, 64)", "", "buffer"), ("sigemptyset(&p->set)", "", "set"),
    ("sigaddset(&p->set, SIGUSR1)", "", "set"), ("sigismember(&p->set, SIGUSR1)", "set"),
    ("sigaction(SIGPIPE, &p->action, &p->old_action)", "action", "old_action"),
    ("pthread_sigmask(SIG_UNBLOCK, &p->set, NULL)", "set"), ("sysconf(_SC_PAGESIZE)",), ("isatty(1)",),
    ("pthread_attr_init(&p->attributes)", "", "attributes"),
    # sorting and searching, by functions that compare
    ("qsort(p->table, 4, sizeof *p->table, order)", "", "table"),
    ("bsearch(p->table, p->table, 4, sizeof *p->table, order)", "table"),
    ("lfind(p->table, p->table, &p->size, sizeof *p->table, order)", "table size"),
    # addresses, patterns, wide characters
    ("inet_addr(p->address)", "address"), ("inet_aton(p->address, &p->host)", "address", "host"),
    ("inet_pton(AF_INET, p->address, &p->host)", "address", "host"),
    ("inet_ntop(AF_INET, &p->host, p->buffer, 64)", "host", "buffer"), ("htons(80)",),
    ("getaddrinfo(p->address, p->number, NULL, &p->found)", "address number", "found"),
    ("regcomp(&p->compiled, p->pattern, 0)", "pattern", "compiled"),
    ("regexec(&p->prepared, p->text, 2, p->matches, 0)", "text", "matches"), ("result = wcslen(p->wide)", "wide"),
    ("wcscpy(p->more_wide, p->wide)", "wide", "more_wide"), ("isalpha('a')",), ("toupper('a')",),
    ("msync(p->mapped, 4096, MS_ASYNC)", "mapped"), ("madvise(p->mapped, 4096, MADV_DONTNEED)", "", "mapped"),
)  # fmt: skip
CALLS = tuple(_call(*row) for row in _TABLE)


def _touches() -> tuple[Call, ...]:
    """The program itself reads and writes each object."""
    names = [name_of(declaration) for declaration in OBJECTS]
    every = [(name, f"sizeof p->{name}, &p->{name}") for name in names] + [
        ("mapped", "16, p->mapped"),
        ("line", "8, p->line"),
    ]
    return tuple(
        Call(f"{verb} {name}", f"{verb}_all({place})", (name,) if verb == "read" else (), (name,) * (verb == "write"))
        for name, place in every for verb in ("read", "write")
    )  # fmt: skip


TOUCHES = _touches()
EVERY = (*CALLS, *TOUCHES)
NUMBERS = {call.name: number for number, call in enumerate(EVERY)}


def program() -> str:
    """`program ONE OTHER SHARED LOCKS DIRECTORY`: two calls; on one pool; which of them take a lock (bits)."""
    members = "\n".join(f"    {declaration};" for declaration in OBJECTS)
    firsts = "\n".join(f"    .{name_of(each)} = {first}," for each, first in OBJECTS.items() if first)
    cases = "\n".join(f"    case {i}: {call.code}; break;" for i, call in enumerate(EVERY))
    return _PROGRAM % {
        "headers": "\n".join(f"#include <{header}>" for header in HEADERS),
        "members": members, "firsts": firsts, "cases": cases,
    }  # fmt: skip


_PROGRAM = """
#define _GNU_SOURCE
%(headers)s
struct pool {
%(members)s
    FILE *in, *out;
    int file;
    char *mapped, *line, *same_line;
    size_t room;
    const char *directory;
    regex_t prepared;
};
static const struct pool first = {
%(firsts)s
};
static struct pool pools[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local volatile long result; /* gcc leaves out calls of pure functions whose results nobody wants */
static _Thread_local void *volatile place;
static struct job { int call, pool, locks; } jobs[2];

static int order(const void *a, const void *b) { return *(const short *)a - *(const short *)b; }
static int visit(const char *path, const struct stat *status, int kind) { return 0; }
static int visit_all(const char *path, const struct stat *status, int kind, struct FTW *more) { return 0; }
static void read_all(size_t size, volatile void *from)
{
    for (size_t i = 0; i < size && i < 8; i++) (void)((volatile char *)from)[i];
}
static void write_all(size_t size, volatile void *to)
{
    for (size_t i = 0; i < size && i < 8; i++) { volatile char *at = (volatile char *)to + i; *at = *at; }
}
static void call(int number, struct pool *p)
{
    switch (number) {
%(cases)s
    }
}
static void prepare(struct pool *p, int number, const char *directory)
{
    *p = first;
    p->directory = directory;
    snprintf(p->path, sizeof p->path, "%%s/there%%d", directory, number);
    snprintf(p->other, sizeof p->other, "%%s/made%%d", directory, number);
    p->in = fopen(p->path, "r");
    p->out = fopen(p->path, "r+");
    p->file = open(p->path, O_RDWR);
    p->vector[0] = (struct iovec){p->buffer, 3};
    p->action.sa_handler = SIG_IGN;
    p->mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p->line = p->same_line = malloc(p->room = 99);
    pthread_attr_init(&p->attributes);
    regcomp(&p->prepared, "a.*c", 0);
    regcomp(&p->compiled, "a", 0);
    sigemptyset(&p->set);
}
static void *work(void *argument)
{
    struct job *job = argument;
    if (job->locks) pthread_mutex_lock(&lock);
    call(job->call, &pools[job->pool]);
    if (job->locks) pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int count, char **words)
{
    pthread_t thread;
    int shared = atoi(words[3]), locks = atoi(words[4]);
    for (int i = 0; i < 2; i++) {
        jobs[i] = (struct job){atoi(words[1 + i]), shared ? 0 : i, locks >> i & 1};
        prepare(&pools[i], i, words[5]);
    }
    pthread_create(&thread, NULL, work, &jobs[0]);
    work(&jobs[1]);
    pthread_join(thread, NULL);
    return 0;
}
"""
