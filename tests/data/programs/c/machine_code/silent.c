/* Accesses of shared memory that gcc announces, and some that it does not; see test_c_silent.py. */
#include <stdarg.h>
struct small { int a, b; };
struct middle { long a, b; };
struct large { long a[5]; };
struct bits { unsigned x : 3, y : 7; unsigned z; };
struct small s;
struct middle m, *pm = &m;
struct large l, *pl = &l;
struct bits b;
double d;
float f;
volatile int v;
long double wide;
long list[4];
static const long constants[4] = {1, 2, 3, 4};

static int use_small(struct small x) { return x.a; }
static long use_middle(struct middle x) { return x.b; }
static long use_large(struct large x) { return x.a[3]; }

/* ---- silent */
int silent_small(void) { return use_small(s); }
long silent_middle(void) { return use_middle(m); }
long silent_large(void) { return use_large(l); }
long silent_by_pointer(void) { return use_middle(*pm); }
long silent_large_by_pointer(void) { return use_large(*pl); }
void silent_result(void);
void silent_large_result(void);
void silent_assembly(void) { __asm__ volatile("incl %0" : "+m"(v)); }

/* ---- announced */
struct small give_small(void) { return s; }
struct middle give_middle(void) { return m; }
struct large give_large(void) { return l; }
void silent_result(void) { m = give_middle(); }
void silent_large_result(void) { l = give_large(); }
void assigns(void) { l = *pl; }
void assigns_constant(void) { s = (struct small){1, 2}; }
int bit_fields(void) { b.x = 2; b.y++; return (int)(b.y + b.z); }
int variadic(int n, ...)
{
    va_list more;
    va_start(more, n);
    int x = va_arg(more, int);
    va_end(more);
    return x;
}
double numbers(void) { d += f; wide = d; return d + (double)(unsigned long)list[1]; }
long arrays(int i) { list[i]++; list[2] += constants[i]; return list[i] ? list[i + 1] : constants[1]; }
static const char letters[] = "abcdef";
void table(char *to, long i) { *to = letters[i]; to[1] = letters[i + 1]; }
long own_struct(void) { struct large own = l; struct middle two = {own.a[1], 2}; return use_large(own) + use_middle(two); }
int many_ways(int i) { switch (i) { case 0: v++; break; case 1: v--; break; case 2: v = 3; break; case 3: v = 9; break; case 4: v += i; } return v; }

int main(void)
{
    silent_result(), silent_large_result(), silent_assembly(), assigns(), assigns_constant();
    char both[2];
    give_small(), table(both, 1);
    return silent_small() + (int)silent_middle() + (int)silent_large() + (int)silent_by_pointer() + bit_fields() +
           (int)silent_large_by_pointer() + variadic(1, 2) + (int)numbers() + (int)arrays(1) + (int)own_struct() + many_ways(2);
}
