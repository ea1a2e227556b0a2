/* Wide states, compressed: each word that occurs at a place is kept once and has a number there; a state is the numbers
   of its words side by side, in 64 bits.

   Reference: Holzmann, "State compression in Spin" (1997), for collapsed states; Laarman, van de Pol, Weber, "Parallel
   recursive state compression for free" (2011), for trees of numbers.
   Differs: the tree is as flat as possible.  Numbers get as many bits as the words of their place need; only if all of
   them do not fit into 64 bits, neighbours are joined: a pair of numbers is a word, and has a number of its own.  When
   a place has more words than its bits allow, the table is filled again, with other widths.  States themselves are
   needed only until they have been expanded, and their codes too: from the code of a state comes that of a successor,
   by the words that the step has changed.

   SOUND: numbers are given once and never again, so equal codes mean equal words, and different codes different states.
   A state whose numbers do not fit has no code, and waits until they do.  Codes of before other widths are not used:
   those states are known by their places, and their codes are made anew.

   A template (codegen/templates.py), if TREE: one thread, an exact search. */
#ifndef ISOSPIN_TREE_H
#define ISOSPIN_TREE_H

#ifndef ISOSPIN_CODE_BITS
#define ISOSPIN_CODE_BITS 64 /* fewer for tests: neighbours are joined sooner */
#endif

enum {
    WORD_BITS = 64,
    CODE_BITS = ISOSPIN_CODE_BITS,
    TOGETHER = 4,
    FEW_BUCKETS = 16,
    MANY_BUCKETS = 1 << 10,
    DEEPEST = 16,
    NUMBER_BITS = 32
};

/* Words that are looked at together, without branches. */
struct bucket {
    word what[TOGETHER];
    uint32_t number[TOGETHER + 1]; /* counted from 1; 0: nothing is here, nor behind it, as in the last one */
    uint32_t unused[TOGETHER - 1];
};

/* The words at one place of a state, or the pairs of numbers at one node above them. */
struct book {
    struct bucket *buckets;
    unsigned shift; /* of the hash */
    uint64_t mask, count;
};

/* How the numbers stand in a code: those of so many places, from this bit on, with so many bits. */
struct coding {
    unsigned level, places, at[KEY_WORDS], width[KEY_WORDS];
    word field[KEY_WORDS]; /* the same as bits of the code */
    bool crowded; /* a number does not fit */
};

static struct bucket no_words[2];
static struct book books[DEEPEST][KEY_WORDS] = {
    [0 ... DEEPEST - 1] = {[0 ... KEY_WORDS - 1] = {.buckets = no_words, .shift = WORD_BITS - 1}}};
static struct coding coding = {.places = KEY_WORDS}, coding_before;

/* ------------------------------------------------------------------------------------------- books of words */

ALWAYS_INLINE uint64_t bucket_of(const struct book *all, word what) { return fold(what ^ MIX2, MIX1) >> all->shift; }

/* The number of a word in a bucket, or 0.  SOUND: buckets fill from the front, so a zero that has a number stands
   before the zeros that have none. */
ALWAYS_INLINE uint32_t number_in(const struct bucket *b, word what)
{
    unsigned equal = 1U << TOGETHER;
#if READS_FOUR
    typedef double four_doubles __attribute__((vector_size(32)));
    typedef long long four_loose __attribute__((vector_size(32), may_alias, aligned(8)));
    const four wanted = {(long long)what, (long long)what, (long long)what, (long long)what};
    equal |= (unsigned)__builtin_ia32_movmskpd256((four_doubles)(*(const four_loose *)b->what == wanted));
#else
    for (unsigned i = 0; i < TOGETHER; i++) {
        equal |= (unsigned)(b->what[i] == what) << i;
    }
#endif
    return b->number[__builtin_ctz(equal)];
}

static void write_down(const struct book *all, word what, uint32_t number)
{
    for (uint64_t at = bucket_of(all, what);; at++) {
        struct bucket *b = all->buckets + (at & all->mask);
        for (unsigned i = 0; i < TOGETHER; i++) {
            if (b->number[i] == 0) {
                b->what[i] = what;
                b->number[i] = number;
                return;
            }
        }
    }
}

/* Few words lie far apart, where they are found at once; many of them should not take too much memory. */
static bool is_full_book(const struct book *all)
{
    const uint64_t room = all->mask ? (all->mask + 1) * TOGETHER : 0;
    return all->mask < MANY_BUCKETS ? 2 * all->count >= room : 8 * all->count >= 7 * room;
}

static bool larger_book(struct book *all)
{
    const struct book old = *all;
    const uint64_t room = old.mask ? 2 * (old.mask + 1) : FEW_BUCKETS;
    struct bucket *buckets = take_memory(room * sizeof *buckets);
    if (buckets == NULL || old.count >> (NUMBER_BITS - 1)) {
        stop_because(END_MEMORY);
        return false;
    }
    *all = (struct book){buckets, WORD_BITS - (unsigned)__builtin_ctzll(room), room - 1, old.count};
    for (uint64_t i = 0; i < (old.mask + 1) * TOGETHER; i++) {
        const struct bucket *b = old.buckets + i / TOGETHER;
        if (b->number[i % TOGETHER]) {
            write_down(all, b->what[i % TOGETHER], b->number[i % TOGETHER]);
        }
    }
    give_memory(old.mask ? old.buckets : NULL, (old.mask + 1) * sizeof *buckets);
    return true;
}

/* SOUND: without memory the search has stopped, and says so; nothing has a code from then on. */
static COLD word add_word(struct book *all, word what)
{
    if (is_full_book(all) && !larger_book(all)) {
        coding.crowded = true;
        return 0;
    }
    const word number = all->count++;
    write_down(all, what, (uint32_t)number + 1);
    return number;
}

/* It is not in the bucket where it should be. */
static __attribute__((noinline)) word number_beyond(struct book *all, word what)
{
    for (uint64_t at = bucket_of(all, what);; at++) {
        const struct bucket *b = all->buckets + (at & all->mask);
        const uint32_t number = number_in(b, what);
        if (number) {
            return number - 1;
        }
        if (b->number[TOGETHER - 1] == 0) {
            return add_word(all, what);
        }
    }
}

ALWAYS_INLINE word number_of(struct book *all, word what)
{
    const uint32_t number = number_in(all->buckets + bucket_of(all, what), what);
    return LIKELY(number) ? number - 1 : number_beyond(all, what);
}

/* ------------------------------------------------------------------------------------------- codes */

/* Joins neighbours, up to a level; how many numbers are left.  One without a neighbour stays as it is. */
static unsigned join_numbers(word *numbers, unsigned places, unsigned from, unsigned level)
{
    for (unsigned l = from + 1; l <= level; l++, places = (places + 1) / 2) {
        for (unsigned i = 0; i + 1 < places; i += 2) {
            numbers[i / 2] = number_of(&books[l][i / 2], numbers[i] | numbers[i + 1] << NUMBER_BITS);
        }
        if (places % 2) {
            numbers[places / 2] = numbers[places - 1];
        }
    }
    return places;
}

static word code_of_numbers(const word *numbers)
{
    word code = 0;
    for (unsigned i = 0; i < coding.places; i++) {
        coding.crowded |= (numbers[i] & ~ones(coding.width[i])) != 0;
        code |= numbers[i] << coding.at[i];
    }
    return code;
}

static __attribute__((noinline)) word deep_code(const word *s)
{
    word numbers[KEY_WORDS];
    for (int i = 0; i < KEY_WORDS; i++) {
        numbers[i] = number_of(&books[0][i], s[i]);
    }
    (void)join_numbers(numbers, KEY_WORDS, 0, coding.level);
    return code_of_numbers(numbers);
}

/* What the table knows of a state; it is worth nothing if `coding.crowded` is set then. */
ALWAYS_INLINE word code_of(const word *s)
{
    if (UNLIKELY(coding.level)) {
        return deep_code(s);
    }
    word code = 0, over = 0;
    for (int i = 0; i < KEY_WORDS; i++) {
        const word number = number_of(&books[0][i], s[i]);
        over |= number >> coding.width[i];
        code |= number << coding.at[i];
    }
    coding.crowded |= over != 0;
    return code;
}

#if REUSES_CODES
static uint64_t coded_since; /* states in the chunks before this place have codes of before */

/* Which words are different, as bits. */
ALWAYS_INLINE word changes(const word *s, const word *from)
{
    word changed = 0;
    int i = 0;
#if READS_FOUR
    typedef double four_doubles __attribute__((vector_size(32)));
    typedef long long four_loose __attribute__((vector_size(32), may_alias, aligned(8)));
    for (; i + 4 <= KEY_WORDS; i += 4) {
        const four unlike = *(const four_loose *)(s + i) != *(const four_loose *)(from + i);
        changed |= (word)(unsigned)__builtin_ia32_movmskpd256((four_doubles)unlike) << i;
    }
#endif
    for (; i < KEY_WORDS; i++) {
        changed |= (word)(s[i] != from[i]) << i;
    }
    return changed;
}

/* The number of a node: of a word, or of a pair of numbers below it. */
static word number_at(const word *s, unsigned level, unsigned place, unsigned places)
{
    if (level == 0) {
        return number_of(&books[0][place], s[place]);
    }
    const unsigned below = (places + (1U << (level - 1)) - 1) >> (level - 1);
    const word left = number_at(s, level - 1, 2 * place, places);
    if (2 * place + 1 == below) { /* it has no neighbour */
        return left;
    }
    return number_of(&books[level][place], left | number_at(s, level - 1, 2 * place + 1, places) << NUMBER_BITS);
}

static __attribute__((noinline)) word deep_code_from(const word *s, word changed, word code)
{
    while (changed) {
        const unsigned group = (unsigned)__builtin_ctzll(changed) >> coding.level;
        const word number = number_at(s, coding.level, group, KEY_WORDS);
        coding.crowded |= number >> coding.width[group] != 0;
        code = (code & ~coding.field[group]) | number << coding.at[group];
        changed &= ~(ones(1U << coding.level) << (group << coding.level));
    }
    return code;
}

/* The codes of some states from those of the states that they come from, by the words that are different: a step
   changes one or two.  One loop over all of those words: how many each state has, nobody could predict. */
ALWAYS_INLINE void change_codes(struct pending *p, uint32_t changes)
{
    const struct coding c = coding;
    word changed = p->changed, over = 0;
    for (; changes; changes--) {
        const int i = __builtin_ctzll(changed);
        const word number = number_of(&books[0][i], p->state[i]);
        over |= number >> c.width[i];
        p->code = (p->code & ~c.field[i]) | number << c.at[i];
        changed &= changed - 1;
        p += changed == 0;
        changed = changed == 0 ? p->changed : changed;
    }
    coding.crowded |= over != 0;
}
#endif

/* ------------------------------------------------------------------------------------------- other widths */

static unsigned bits_for(const struct book *all) { return WORD_BITS - (unsigned)__builtin_clzll(all->count | 1); }

/* The words that a number at a place of a level is one of: without a neighbour those of a level below. */
static const struct book *book_at(unsigned level, unsigned place)
{
    while (level && books[level][place].count == 0) {
        level--, place *= 2;
    }
    return &books[level][place];
}

/* Gives every place of a level the bits that it needs and a share of the others; false if there are too few. */
static bool share_bits(struct coding *c, unsigned level, unsigned places)
{
    unsigned needed = 0, at = 0;
    *c = (struct coding){.level = level, .places = places};
    for (unsigned i = 0; i < places; i++) {
        c->width[i] = bits_for(book_at(level, i)) + (places > 2);
        needed += c->width[i];
    }
    if (needed > CODE_BITS && places > 2) {
        return false;
    }
    for (unsigned i = 0; i < places; i++) {
        const unsigned more = places > 2 ? (CODE_BITS - needed) / places : 0;
        c->width[i] = places > 2 ? c->width[i] + more : NUMBER_BITS;
        c->at[i] = at;
        c->field[i] = ones(c->width[i]) << at;
        at += c->width[i];
    }
    return true;
}

static void split_code(word code, word *numbers)
{
    for (unsigned i = 0; i < coding_before.places; i++) {
        numbers[i] = code >> coding_before.at[i] & ones(coding_before.width[i]);
    }
}

/* A code of before, as it is now. */
static word recode(word code)
{
    word numbers[KEY_WORDS];
    split_code(code, numbers);
    (void)join_numbers(numbers, coding_before.places, coding_before.level, coding.level);
    return code_of_numbers(numbers);
}

static bool learn_pairs(void *level, const word *code, uint64_t place)
{
    word numbers[KEY_WORDS];
    (void)place;
    split_code(*code, numbers);
    (void)join_numbers(numbers, coding_before.places, coding_before.level, *(const unsigned *)level);
    return !shared.stop;
}

/* Is there no room, or would there be none if each place had so many times as many words? */
static bool is_crowded(unsigned times)
{
    bool crowded = coding.crowded;
    for (unsigned i = 0; i < coding.places && times > 1; i++) {
        crowded |= times * book_at(coding.level, i)->count > 1ULL << coding.width[i];
    }
    return crowded;
}

/* Chooses how numbers stand in codes, by what the table holds; deeper only if they would not fit.  NULL: the table
   stays as it was, and so do the codes. */
static bool regroup(bool (*each)(see_state, void *))
{
    if (each == NULL) {
        coding = coding_before;
        return false;
    }
    coding_before = coding;
    unsigned level = coding.level, places = coding.places;
    struct coding next;
    while (!share_bits(&next, level, places)) {
        level++;
        places = (places + 1) / 2;
        if (!each(learn_pairs, &level)) {
            return false;
        }
    }
    coding = next;
#if REUSES_CODES
    const struct worker *w = shared.workers;
    coded_since = w->filling == NULL ? 0 : (uint64_t)w->out * CHUNK + w->filling->used;
#endif
    return true;
}

#endif
