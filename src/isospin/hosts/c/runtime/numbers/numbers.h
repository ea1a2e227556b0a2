/* Numbers that threads were given, and what a renaming does to them.
 *
 * Carriers (hosts/c/binary/carriers.py) are kinds of places that hold numbers: a variable of a function, a member of a
 * struct, a parameter.  A renaming of threads and cells (renaming.h) is extended to them: under it, the value x in a
 * place of carrier c becomes r_c(x), and that is known for all values that can ever be there.  The code that is still
 * to be executed keeps the renaming if each of its rules (binary/rules.py) does, for all of these values.
 *
 * A worked example: threads 1 and 2 have i = 0 and i = 1, and will touch cell[i].  Exchanging them has r_i = (0
 * 1). The rule "memory is touched at cell + 4 * i" demands that &cell[0] becomes &cell[1]: these cells move, too.
 * A rule "jump if i == 0" would demand that 0 and 1 compare alike with 0; they do not, and the threads are not
 * alike.
 */
#ifndef ISOSPIN_NUMBERS_H
#define ISOSPIN_NUMBERS_H

#include "symmetry/renaming.h"

#include "fibers/frames.h"

/* What is in these bytes, 8 at most; the upper ones are 0. */
static inline uintptr_t word_at(uintptr_t address, size_t size)
{
    uintptr_t word = 0;
    __builtin_memcpy(&word, (void *)address, size);
    return word;
}

/* Forget all values. */
void numbers_begin(void);
/* Is `other` what `one` becomes, in a place of this carrier?  They have so many bytes.  Cells may be added to the
 * renaming if it still grows. */
bool numbers_same(uint64_t carrier, uintptr_t one, uintptr_t other, size_t size, struct renaming *renaming, bool grows);
/* The carrier of the bytes from here on, and how many they are; 0: none, up to there, `most` at most. */
uint64_t numbers_carrier(uintptr_t address, size_t most, size_t *size);
/* Does the renaming change a number? */
bool numbers_change(void);
/* Is everything that does not move the same, and do all rules hold?  Complete the renaming, if it still grows. */
bool numbers_settle(struct renaming *renaming, bool grows);
/* Two threads are at different places of the same code: what they hold is not paired by carriers. */
void numbers_uneven(void);
bool numbers_are_uneven(void);
/* May code that is still to be executed name this variable other than by rules that say where? */
bool numbers_pin(int global);

struct block;
/* Was a block of the heap asked for by the program, and not by a library of C for itself? */
bool numbers_of_program(const struct block *block);

/* Has a thread nothing in its heap that the program asked for? */
bool left_nothing(const struct thread *thread);

/* ---- main as a bystander (bystander.h) */

enum { MOST_NUMBERS = 24 };

/* What a renaming does to the numbers in a carrier. */
struct changed_numbers {
    uint64_t carrier;
    int count;
    uintptr_t one[MOST_NUMBERS], other[MOST_NUMBERS];
};

/* The carriers whose numbers the last renaming changes, how many; -1: more than there is room for. */
int numbers_changed(struct changed_numbers *list, int most);
/* Variables and members of structs whose values it does not change, but meets with those that it does: the values for
 * which the rules were found to hold; how many; -1: as above. */
int numbers_relied_on(struct changed_numbers *list, int most, const struct renaming *renaming);
/* From now on, to the next numbers_begin: numbers change as these say, and in no other way. */
void numbers_as(const struct changed_numbers *list, int count);
/* Is all that main can still read, besides cells that move, what it was? */
bool numbers_left_behind(struct renaming *renaming);

/* The rule that did not hold, for people. */
struct broken_rule {
    uintptr_t at; /* the instruction; 0: none */
    enum rule_kind kind;
    uint64_t carrier;
    uintptr_t one, other; /* a number and what it would become */
    uintptr_t where;      /* memory that differs, or names one of the threads, or may still race; 0: none */
};
extern struct broken_rule broken_rule;
/* The first difference that is seen is the one that is told.  Always false. */
bool blame_place(uintptr_t where);
/* Two threads do not stand alike: in what they differ.  The line and the object are noted if nothing else is. */
extern const char about_to_do[];
const char *blame_record(const struct thread *one, const struct thread *other);
/* The same, if they differ in what no renaming changes; else NULL.  That is found out soonest. */
const char *differ_anyway(const struct thread *one, const struct thread *other);

#endif
