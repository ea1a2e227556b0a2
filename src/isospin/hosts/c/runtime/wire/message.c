#include "wire/message.h"

#include "explore/arena.h"
#include "jobs/jobs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *asked = "";
static int out = -1, in = -1;
static char line[1 << 14]; /* what is to be written; flushed when it is full, and at the end of a message */
static unsigned filled;
static bool first_item;
static bool diverted;
static char *kept;
static unsigned kept_size, kept_room;

/* ---------------------------------------------------------------- what was asked */

void message_open(const char *words)
{
    asked = words ? words : "";
    out = (int)option_number("out", -1);
    in = (int)option_number("in", -1);
}

static const char *value_of(const char *name)
{
    size_t length = strlen(name);
    for (const char *word = asked; *word;) {
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
        while (*word && *word != ' ')
            word++;
        while (*word == ' ')
            word++;
    }
    return NULL;
}

const char *option_text(const char *name)
{
    static char copy[1 << 17]; /* what was learnt can be long */
    const char *value = value_of(name);
    if (!value)
        return NULL;
    unsigned i = 0;
    for (; value[i] && value[i] != ' ' && i < sizeof copy - 1; i++)
        copy[i] = value[i];
    copy[i] = 0;
    return copy;
}

double option_real(const char *name, double otherwise)
{
    const char *p = value_of(name);
    if (!p || !*p || *p == ' ')
        return otherwise;
    double sign = *p == '-' ? -1 : 1, whole = 0, unit = 1;
    for (p += *p == '-'; *p >= '0' && *p <= '9'; p++)
        whole = whole * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            whole += (*p - '0') * (unit /= 10);
    return sign * whole;
}

long long option_number(const char *name, long long otherwise)
{
    const char *p = value_of(name);
    if (!p || !*p || *p == ' ')
        return otherwise;
    long long value = 0, sign = *p == '-' ? -1 : 1;
    for (p += *p == '-'; *p >= '0' && *p <= '9'; p++)
        value = value * 10 + (*p - '0');
    return sign * value;
}

bool option(const char *name) { return option_number(name, 0) != 0; }

/* ---------------------------------------------------------------- to Python */

static void keep_line(void)
{
    GROW(kept, kept_room, kept_size + filled + 1);
    memcpy(kept + kept_size, line, filled);
    kept_size += filled;
    filled = 0;
}

static void flush(void)
{
    unsigned done = 0;
    if (diverted) {
        keep_line();
        return;
    }
    while (done < filled && out >= 0) {
        ssize_t n = write(out, line + done, filled - done);
        if (n > 0)
            done += (unsigned)n;
        else if (n < 0 && errno != EINTR)
            _exit(3); /* nobody listens any more */
    }
    filled = 0;
}

static void put(char c)
{
    if (filled == sizeof line)
        flush();
    line[filled++] = c;
}

static void puts_all(const char *text)
{
    while (*text)
        put(*text++);
}

static void put_number(long long value)
{
    char digits[24];
    unsigned n = 0;
    unsigned long long rest = value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        put('-');
    while (n)
        put(digits[--n]);
}

static void put_quoted(const char *text)
{
    static const char hex[] = "0123456789abcdef";
    put('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ') {
            puts_all("\\u00");
            put(hex[c >> 4]);
            put(hex[c & 15]);
            continue;
        }
        if (c == '"' || c == '\\')
            put('\\');
        put((char)c);
    }
    put('"');
}

static void put_name(const char *name)
{
    puts_all(", ");
    put_quoted(name);
    puts_all(": ");
}

void message_begin(const char *kind)
{
    puts_all("{\"kind\": ");
    put_quoted(kind);
}

void message_text(const char *name, const char *value)
{
    put_name(name);
    put_quoted(value);
}

void message_number(const char *name, long long value)
{
    put_name(name);
    put_number(value);
}

void message_real(const char *name, double value)
{
    put_name(name);
    if (value < 0) {
        put('-');
        value = -value;
    }
    int exponent = 0;
    for (; value >= 1e15 && exponent < 400; exponent++)
        value /= 10;
    long long millionths = (long long)((value - (double)(long long)value) * 1e6);
    put_number((long long)value);
    put('.');
    for (long long unit = 100000; unit; unit /= 10)
        put((char)('0' + millionths / unit % 10));
    if (exponent) {
        put('e');
        put_number(exponent);
    }
}

void message_list(const char *name)
{
    put_name(name);
    put('[');
    first_item = true;
}

void message_item(long long value)
{
    if (!first_item)
        puts_all(", ");
    first_item = false;
    put_number(value);
}

void message_list_end(void) { put(']'); }

void message_finding(const struct finding *f)
{
    message_text("what", f->kind);
    message_text("message", f->message);
    message_number("thread", f->thread);
    message_number("pc", (long long)(uintptr_t)f->pc);
    message_number("other", f->other);
    message_number("other_pc", (long long)(uintptr_t)f->other_pc);
    message_number("address", (long long)f->address);
}

void message_end(void)
{
    puts_all("}\n");
    flush();
}

void message_divert(void)
{
    diverted = true;
    kept_size = filled = 0;
    in = -1;
}

const char *message_diverted(unsigned *size)
{
    *size = kept_size;
    return kept ? kept : "";
}

void message_relay(const char *text, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        put(text[i]);
    flush();
}

/* ---------------------------------------------------------------- from Python */

const char *message_receive(void)
{
    static char *answer;
    static unsigned capacity, have, taken;
    if (diverted)
        jobs_alone(); /* this copy needs to know more than it does: whoever made it will ask */
    if (taken) {
        memmove(answer, answer + taken, have - taken);
        have -= taken;
        taken = 0;
    }
    for (unsigned looked = 0;;) {
        for (; looked < have; looked++)
            if (answer[looked] == '\n') {
                answer[looked] = 0;
                taken = looked + 1;
                return answer;
            }
        GROW(answer, capacity, have + 4096);
        ssize_t n = read(in, answer + have, capacity - have);
        if (n == 0 || (n < 0 && errno != EINTR))
            return NULL;
        if (n > 0)
            have += (unsigned)n;
    }
}
