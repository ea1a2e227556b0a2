/* Partial-order reduction: processes whose moves are an ample set, and states that need not be stored.

   Reference: see analysis/ample.py, which computes the tables and says why this is right.
   Differs: what is true of the future of all others is known from two words: what anybody can still do, and what at
   least two can.

   A template (codegen/templates.py), behind OBSERVED, the table AMPLE, and the functions future_of and conflicts_of:
   what tables say of a location, and what is known from the channels that a process was given. */
#ifndef ISOSPIN_AMPLE_H
#define ISOSPIN_AMPLE_H

struct crowd {
    word once, twice; /* what somebody can still do; what two can */
    unsigned kinds;   /* what is true of somebody's location */
    unsigned size;
    unsigned template[SLOTS], pc[SLOTS];
    word future[SLOTS];
};

ALWAYS_INLINE void look_around(const word *s, struct crowd *c)
{
    c->once = c->twice = OBSERVED;
    c->kinds = 0;
    c->size = N_PROCESSES(s);
    for (unsigned pid = 0; pid < c->size; pid++) {
        const unsigned t = template_of(s, pid), pc = pc_of(s, pid, t);
        c->template[pid] = t;
        c->pc[pid] = pc;
        c->future[pid] = future_of(s, pid, t, pc);
        c->twice |= c->once & c->future[pid];
        c->once |= c->future[pid];
        c->kinds |= AMPLE[t][pc];
    }
}

ALWAYS_INLINE bool is_ample(const struct crowd *c, const word *s, unsigned pid, unsigned kind)
{
    const unsigned t = c->template[pid], pc = c->pc[pid];
    const word others = c->twice | (c->once & ~c->future[pid]);
    return (AMPLE[t][pc] & kind) && !(conflicts_of(s, pid, t, pc) & others);
}

/* The steps of one process, if there are any; 0 also if one of them leads nowhere: to an error, to a bound, round and
   round. SOUND: then it does not stand for what the others do, and what was found so far is taken back (or found
   again). */
static int own_steps(struct worker *w, const word *s, unsigned pid)
{
    if (UNLIKELY(w->full - w->next <= BATCH)) {
        make_room(w);
    }
    const size_t used = (size_t)(w->next - w->batch);
    const uint64_t origin = w->origin;
    const uint32_t nowhere = w->nowhere;
    const int found = process_steps(w, s, pid);
    if (UNLIKELY(w->n_links)) {
        expand_links(w, 0);
    }
    if (LIKELY(w->nowhere == nowhere)) {
        return found;
    }
    if (w->origin - origin < BATCH) { /* all are still there */
        w->next = w->batch + used;
        w->origin = origin;
    }
    return 0;
}

/* The steps of one process, if they are enough; 0: everybody has to move. */
static int ample_steps(struct worker *w, const word *s)
{
    struct crowd crowd;
    look_around(s, &crowd);
    if (!(crowd.kinds & MAY_BE_AMPLE)) {
        return 0;
    }
    for (unsigned pid = crowd.size; pid-- > 0;) {
        if (is_ample(&crowd, s, pid, MAY_BE_AMPLE)) {
            const int found = own_steps(w, s, pid);
            if (found) {
                return found;
            }
        }
    }
    return 0;
}

/* Goes on from a state that has one successor, which need not be stored.  SOUND: every cycle has a state where
   everybody moves, so this ends. */
static MAYBE_UNUSED bool leap(struct worker *w, const word *n, struct choice choice)
{
    struct crowd crowd;
    look_around(n, &crowd);
    if (!(crowd.kinds & HAS_NO_CHOICE)) {
        return false;
    }
    int found = 0;
    for (unsigned pid = crowd.size; pid-- > 0 && !found;) {
        if (is_ample(&crowd, n, pid, HAS_NO_CHOICE)) {
            struct trail here;
            const uint32_t nowhere = w->nowhere, n_links = w->n_links;
            const int32_t link = w->link;
            begin_follow(w, &here, n, choice, pid);
            found = process_steps(w, n, pid);
            if (UNLIKELY(w->n_links > n_links)) {
                w->trail = NULL; /* it is among the links */
                expand_links(w, n_links);
                w->link = link;
            }
            w->timeout = here.timeout;
            w->trail = here.before;
            if (UNLIKELY(w->nowhere != nowhere)) { /* SOUND: as above; the state is stored, and everybody moves there */
                w->nowhere = nowhere;
                found = 0;
            }
        }
    }
    return found != 0;
}

#endif
