/* Functions with known live variables, known reach and known twins; see test_c_points.py.  `here` marks the points. */
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

int number, other_number, far_number, table[8];
int *pointer_to_number = &number;
static int taken_number;

void here(void) {}
void there(void) { other_number = 1; }
static void give(int *what) { *what = 1; }
static long sum(long a, long b, long c, long d, long e, long f, long g, long h) { return a + b + c + d + e + f + g + h; }
static void touch_far(void) { far_number++; }
static void taken(void) { taken_number++; }
void (*function)(void) = taken;

/* ---------------------------------------------------------------- live variables */

int argument(int used, int unused)
{
    here();
    number = unused;
    here();
    return used;
}

int loop(int count)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        here();
        total += i;
    }
    here();
    return total;
}

int choice(int which, int one, int two)
{
    here();
    switch (which) {
    case 0: return one;
    case 1: return 1;
    case 2: return 2;
    case 3: return 5;
    case 4: return 7;
    case 5: return two;
    }
    return 0;
}

int fields(void)
{
    struct { int first, second, third; } own = {number, number, number};
    here();
    return own.second;
}

int escaping(void)
{
    int list[4] = {0};
    here();
    give(list);
    here();
    number = list[2];
    here();
    return number;
}

long many(long a)
{
    long r = sum(a, 2, 3, 4, 5, 6, 7, 8);
    here();
    return r;
}

void freeing(int *block, int *looked_at)
{
    here();
    free(block);
    number = *looked_at;
    free(looked_at);
}

int sized_later(int count)
{
    int list[count];
    memset(list, 0, sizeof list);
    here();
    return list[0];
}

int jumps(jmp_buf *buffer)
{
    int before = number;
    if (setjmp(*buffer))
        return before;
    here();
    return 0;
}

double real(double factor)
{
    double kept = factor * 2;
    here();
    return kept;
}

/* ---------------------------------------------------------------- reach */

void reaches(int *errors)
{
    here();
    number++;
    here();
    touch_far();
    here();
    *errors = errno;
}
void reaches_by_pointer(void)
{
    here();
    function();
}
void *starts(void *unused)
{
    pthread_t thread;
    here();
    pthread_create(&thread, NULL, starts, unused);
    return NULL;
}

/* ---------------------------------------------------------------- twins */

int twin_a(int first, long second) { int sum = first; here(); sum += table[first] + 3; there(); return sum + (int)second; }
int twin_b(long pad, int first, long second) { int sum = first; number = pad; here(); sum += table[first] + 3; there(); return sum + (int)second; }
int other_constant(int first, long second) { int sum = first; here(); sum += table[first] + 4; there(); return sum + (int)second; }
int other_variable(int first, long second) { int sum = first; here(); sum += table[first] + 3; there(); return sum + number; }
int other_table(int first, long second) { int sum = first; here(); sum += pointer_to_number[first] + 3; there(); return sum + (int)second; }
int other_call(int first, long second) { int sum = first; here(); sum += table[first] + 3; here(); return sum + (int)second; }
int mixed_up(int first, long second) { int sum = first; here(); sum += table[first] + 3; there(); return first + (int)second; }
int other_test(int first) { here(); if (first < 3) there(); return 0; }
int other_test_2(int first) { here(); if (first > 3) there(); return 0; }

static void even_a(int n);
static void odd_a(int n) { here(); if (n) even_a(n - 1); }
static void even_a(int n) { here(); if (n) odd_a(n - 1); }
static void even_b(int n);
static void odd_b(int n) { here(); if (n) even_b(n - 1); }
static void even_b(int n) { here(); if (n) odd_b(n - 1); }
static void even_c(int n);
static void odd_c(int n) { here(); if (n) even_c(n - 2); }
static void even_c(int n) { here(); if (n) odd_c(n - 1); }
void recursion_a(void) { here(); even_a(3); }
void recursion_b(void) { here(); even_b(3); }
void recursion_c(void) { here(); even_c(3); }

int gives_a(void) { int own = 0; here(); give(&own); return own; }
int gives_b(void) { int own = 0; here(); give(&own); return own; }
int gives_c(void) { long more = number; int own = 0; other_number = more; here(); give(&own); return own; }

int main(void)
{
    number = argument(1, 2) + loop(3) + choice(1, 2, 3) + fields() + escaping() + (int)many(1) + sized_later(3);
    freeing(malloc(4), malloc(4));
    number += jumps(NULL) + (int)real(1);
    reaches(&number);
    reaches_by_pointer();
    starts(NULL);
    recursion_a(), recursion_b(), recursion_c();
    return twin_a(1, 2) + twin_b(1, 2, 3) + other_constant(1, 2) + other_variable(1, 2) + other_table(1, 2) + other_call(1, 2) +
           mixed_up(1, 2) + gives_a() + gives_b() + gives_c() + other_test(1) + other_test_2(1);
}
