/* How many executions a search with symmetry stands for: at least these.
 *
 * The same as in ../../../orbit_sum.py.
 */
#ifndef ISOSPIN_ORBIT_SUM_H
#define ISOSPIN_ORBIT_SUM_H

struct search;

struct orbit_sum {
    long long total;
    unsigned long base; /* the number of the node whose group counts; 0: it is not chosen yet */
    int depth;          /* of that node */
};

/* One more execution, which went to its end. */
void orbit_sum_add(struct search *search);

#endif
