/* Copies of the process that explore parts of the search, whatever a part is: who may run, and what they say of it.
 *
 * Answers are in memory that the processes share, so nothing here needs a descriptor.
 */
#ifndef ISOSPIN_TEAM_H
#define ISOSPIN_TEAM_H

#include "jobs/jobs.h"

enum { PAGE_ROOM = 1 << 28 };

/* What a copy found. */
struct answer {
    struct counts counts;
    long long depth, sum, held, checks, successes, skipped, covered;
    const char *incomplete; /* a word of ours: it is at the same address in all copies */
    unsigned wishes, seen, text;
    int findings;
    bool stopped;
};

enum letter { NOT_WRITTEN, WRITTEN, NOT_TO_BE_WRITTEN };

/* Shared by two processes, and by copies of the second. */
struct page {
    int earlier, answered; /* letters */
    unsigned seen; /* actions of the thread before it: they come first in `room` */
    bool unwanted; /* nobody listens any more */
    struct counts counts; /* so far */
    struct answer answer;
    _Alignas(16) char room[]; /* what was seen earlier; then, from the half on: wishes, messages, what was seen */
};

/* A part that a copy explores. */
struct gift {
    long process;
    struct page *page;
    int thread, after; /* of a subtree of schedules: who is explored, and who was then: it sleeps in the copy */
    unsigned mark;
};

bool is_written(const int *letter);
/* Who waits for a letter hears of it. */
void team_write(struct search *search, int *letter, enum letter what);
/* May one more process run? */
bool team_has_room(struct search *search);
/* Make a copy that explores what the gift says; NULL: there are no more.  In the copy `process` is 0. */
struct gift *team_copy(struct search *search, struct gift gift);
/* In the copy: it begins to count from nothing. */
void team_begin(struct search *search, struct gift *gift);
/* In the copy: is it so that what it found can be believed?  It has learnt nothing that counts for others. */
bool team_is_believed(const struct search *search);
/* In the copy: fill in the answer; false: it does not fit.  It counts once it is marked as written. */
bool team_answer(struct search *search);
/* The copy does not run any more, for ever. */
_Noreturn void team_leave(struct search *search);
/* Let another one run until a copy has ended, or (no gift) something is written.  False: the search is over. */
bool team_wait(struct search *search, struct gift *gift, const int *letter);
/* What a copy has found becomes ours. */
void team_add(struct search *search, const struct page *page);
/* All processes end soon. */
void team_stop(struct search *search);
/* A copy, and those that it has made, end soon; nobody will listen. */
void team_dismiss(struct gift *gift);
/* End a copy, whatever it does. */
void team_give_up(struct gift *gift);
/* It was believed, or not. */
void team_count(struct search *search, bool believed);
/* It is collected. */
void team_forget(struct search *search, struct gift *gift);

#endif
