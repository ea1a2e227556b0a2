/* The smallest model, written by hand: a counter modulo 4 in one process.  It exists so that the headers compile, and
   are checked for warnings, without a generated file; see render.py for what is generated.  With CLAIMED (and FAIR)
   there is a claim beside it, which waits for a while and then accepts. */
#ifndef CLAIMED
#define CLAIMED 0
#endif
#ifndef FAIR
#define FAIR 0
#endif
#ifndef SEVERAL
#define SEVERAL 0
#endif
#define KEY_WORDS 1
#define KEY_BITS 6
#define STATE_WORDS 1
#define CHUNK 64
#define SLOTS 1
#define CHANNEL_SLOTS 1
#define USES_TIMEOUT 0
#define POR 1
#define WANTS_NEW !SEVERAL
#define OBSERVED 0ULL
#define INVARIANTS 0
#define USES_PRIORITY 0
#define N_PROCESSES(s) ((void)(s), 1U)
#define SET_N_PROCESSES(s, v) ((void)(s), (void)(v))
#define N_CHANNELS(s) ((void)(s), 0U)
#define SET_N_CHANNELS(s, v) ((void)(s), (void)(v))
#define CALLS 1
#define HEAP_SLOTS 1
#define MAX_OBJECTS 1
#define POINTER_BITS 1
#define KIND_BITS 1
#define CELL_WORDS 1
#define CELL_BITS 1
#define FIXED_ROOTS 0
#define MOST_ROOTS 1
#define N_ROOTS 1
#define CLAIM(s) ((unsigned)((s)[0] >> 3 & 1))
#define SET_CLAIM(s, v) put((s), 3, 1, (val)(v))
#define ENDED(s) ((unsigned)((s)[0] >> 4 & 1))
#define SET_ENDED(s, v) put((s), 4, 1, (val)(v))
#define INNER(s) ((unsigned)((s)[0] >> 5 & 1))
#define SET_INNER(s, v) put((s), 5, 1, (val)(v))

#include "core/engine.h"

static uint8_t executed[1];

#define TABLE(type, name) static const type name[1] = {0}
#define TABLE2(type, name) static const type name[1][1] = {{0}}
TABLE(uint16_t, LANE_WORD);
TABLE(uint8_t, LANE_SHIFT);
TABLE(uint16_t, LANE_WORDS);
TABLE(uint8_t, LANE_BITS);
TABLE(uint8_t, ONLY_TEMPLATE);
TABLE(uint8_t, PC_BITS);
TABLE2(uint8_t, FITS);
TABLE(uint16_t, TEMPLATE_WORD);
TABLE(uint8_t, TEMPLATE_SHIFT);
TABLE(uint32_t, TEMPLATE_MASK);
TABLE2(uint32_t, LOCATION);
TABLE2(uint8_t, PROGRESS);
TABLE2(word, FUTURE);
TABLE2(word, CONFLICTS);
TABLE2(uint8_t, AMPLE);
TABLE(uint16_t, LEN_WORD);
TABLE(uint8_t, LEN_SHIFT);
TABLE(uint32_t, LEN_MASK);
TABLE(uint16_t, DATA_WORD);
TABLE(uint8_t, DATA_SHIFT);
TABLE(uint16_t, DATA_WORDS);
TABLE(uint8_t, DATA_BITS);
TABLE(uint16_t, TYPE_WORD);
TABLE(uint8_t, TYPE_SHIFT);
TABLE(uint32_t, TYPE_MASK);
TABLE(uint8_t, ONLY_TYPE);
TABLE2(uint8_t, TYPE_FITS);
TABLE(uint16_t, CAPACITY);
TABLE(uint16_t, FIELDS);
TABLE(uint16_t, MESSAGE_BITS);
static const uint8_t PER_WORD[1] = {1};
TABLE(uint16_t, MESSAGE_WORDS);
TABLE2(uint8_t, FIELD_WORD);
TABLE2(uint8_t, FIELD_SHIFT);
TABLE2(uint8_t, FIELD_BITS);
TABLE2(uint8_t, FIELD_SIGNED);
TABLE2(uint8_t, FIELD_CHECKED);
TABLE2(uint8_t, DECLARED_BITS);
TABLE2(uint8_t, DECLARED_SIGNED);
TABLE(uint16_t, DEPTH_WORD);
TABLE(uint8_t, DEPTH_SHIFT);
TABLE(uint32_t, DEPTH_MASK);
TABLE2(uint16_t, ENTRY_WORD);
TABLE2(uint8_t, ENTRY_SHIFT);
TABLE(uint16_t, ENTRY_WORDS);
TABLE(uint8_t, ENTRY_BITS);
TABLE(uint16_t, SITE_MASK);
TABLE(uint16_t, CELL_WORD);
TABLE(uint8_t, CELL_SHIFT);
struct pointer_place {
    uint16_t word;
    uint8_t shift, kind;
};
static const struct pointer_place ROOT[1] = {{0, 0, 0}};
static const struct pointer_place LINK[1][1] = {{{0, 0, 0}}}, LOCAL_POINTER[1][1] = {{{0, 0, 0}}};
static const struct pointer_place MESSAGE_POINTER[1][1] = {{{0, 0, 0}}}, SAVED_POINTER[1][1] = {{{0, 0, 0}}};
TABLE(uint16_t, N_LINKS);
TABLE(uint16_t, N_LOCAL_POINTERS);
TABLE(uint16_t, N_MESSAGE_POINTERS);
TABLE(uint16_t, N_SAVED_POINTERS);
TABLE(uint16_t, FIRST_SITE);

#include "core/channels.inc.h"
#include "core/model.inc.h"
#include "heap/calls.inc.h"
#include "heap/heap.inc.h"

ALWAYS_INLINE word future_of(const word *s, unsigned pid, unsigned t, unsigned pc)
{
    (void)s, (void)pid;
    return FUTURE[t][pc];
}

ALWAYS_INLINE word conflicts_of(const word *s, unsigned pid, unsigned t, unsigned pc)
{
    (void)s, (void)pid;
    return CONFLICTS[t][pc];
}

#include "search/search.inc.h"

static int process_steps(struct worker *w, const word *s, unsigned pid)
{
    word n[STATE_WORDS];
    copy_state(n, s);
    MARK(0);
    put(n, 0, 3, (val)(s[0] + 1));
    emit(w, n, (struct choice){(int)pid, 0, NOBODY, NOBODY, 0}, NOBODY, false);
    return 1;
}

static int all_steps(struct worker *w, const word *s)
{
#if FAIR
    return starts(w, 0, process_steps(w, s, 0));
#else
    return process_steps(w, s, 0);
#endif
}

static uint32_t stuck_site(const word *s)
{
    (void)s;
    return 0;
}

static const word initial_states[1][KEY_WORDS] = {{0}};

static const word *initial_state(uint64_t i) { return initial_states[i]; }

#if CLAIMED
#define CLAIM_STATES 2
#define CLAIM_STUTTERS 1
#define CLAIM_SEES_TIMEOUT 0
static const uint8_t CLAIM_CYCLES[2] MAYBE_UNUSED = {NO_CYCLE, SOME_CYCLES};
static const uint16_t CLAIM_PART[2] MAYBE_UNUSED = {1, 0};
static const uint8_t CLAIM_FINAL[2] = {0, 0};

ALWAYS_INLINE bool claim_accepts(const word *s) { return CLAIM(s); }

static unsigned claim_moves(struct worker *w, const word *s, unsigned at, bool ended, uint16_t *next)
{
    unsigned n = 0;
    (void)w, (void)ended;
    if (!at) {
        next[n++] = 0;
    }
    if (s[0] & 1) {
        next[n++] = 1;
    }
    return n;
}

#if FAIR
#include "liveness/fair.inc.h"
#elif SEVERAL
#include "liveness/together.inc.h"
#else
#include "liveness/cycles.inc.h"
#endif
#endif

const struct model isospin_model = {
    .key_words = KEY_WORDS,
    .row_words = KEY_WORDS + REUSES_CODES,
    .state_words = STATE_WORDS,
    .key_bits = KEY_BITS,
    .chunk_size = CHUNK,
    .n_actions = 1,
    .executed = executed,
    .n_sites = 2,
    .n_initial = 1,
    .initial = initial_states[0],
    .pending_size = sizeof(struct pending),
#if TREE
    .is_crowded = is_crowded,
    .regroup = regroup,
    .recode = recode,
#endif
    .bfs = bfs,
    .dfs = dfs,
    .expand = expand,
    .insert_initial = insert_initial,
    .hash = hash_of,
    .mix = mix_of,
#if CLAIMED
    .cycles = cycles,
#endif
};
