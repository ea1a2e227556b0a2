/* Channels that processes have declared themselves: they move with their owners, and their numbers are names.

   Reference: `symmetry/folding/own_channels.py`.
   Differs: nothing.

   A template (codegen/templates.py), included by live_names.inc.h: N_OWN, OWN_TYPE and OWN_HOLDS by template;
   FIXED_CHANNELS come before all of them.  Rendezvous channels have nothing in a stored state. */
#ifndef ISOSPIN_OWN_CHANNELS_H
#define ISOSPIN_OWN_CHANNELS_H

#define MOST_NUMBERS 256

/* Whose channel a number means, and which of his; by the index of the channel. */
struct own_channels {
    unsigned n; /* of all channels, those that stay included */
    uint8_t pid[CHANNEL_SLOTS + 1], which[CHANNEL_SLOTS + 1];
};

static struct own_channels find_own(const word *s)
{
    struct own_channels own = {.n = FIXED_CHANNELS};
    for (unsigned pid = LIVE_BASE; OWN_CHANNELS && pid < n_processes(s); pid++) {
        const unsigned t = template_of(s, pid);
        for (unsigned k = 0; k < N_OWN[t]; k++, own.n++) {
            own.pid[own.n] = (uint8_t)pid;
            own.which[own.n] = (uint8_t)k;
        }
    }
    return own;
}

ALWAYS_INLINE bool is_stored(unsigned c) { return LEN_WORD[c] < KEY_WORDS; }

/* An empty channel in the next place. */
static void add_channel(word *to, unsigned c, unsigned t)
{
    if (TYPE_MASK[c]) {
        put(to + TYPE_WORD[c], TYPE_SHIFT[c], TYPE_MASK[c], t);
    }
    SET_N_CHANNELS(to, c + 1);
}

/* What is in a channel, to another place that is empty, with each field renamed. */
static void carry_messages(const word *s, unsigned from, word *to, unsigned c, unsigned t, const uint8_t *holds,
                           const struct renaming *r)
{
    for (unsigned m = 0; is_stored(from) && m < chan_len(s, from); m++) {
        for (unsigned f = 0; f < FIELDS[t]; f++) {
            set_field(to, c, t, m, f, renamed(chan_field(s, from, t, m, f), holds[f], r));
        }
    }
    if (is_stored(from) && is_stored(c)) {
        set_len(to, c, chan_len(s, from));
    }
}

/* The channels that stay, without all others. */
static void drop_own_channels(word *to)
{
    while (OWN_CHANNELS && N_CHANNELS(to) > FIXED_CHANNELS) {
        const unsigned c = N_CHANNELS(to) - 1;
        if (is_stored(c)) {
            drop_channel(to);
        } else {
            if (TYPE_MASK[c]) {
                put(to + TYPE_WORD[c], TYPE_SHIFT[c], TYPE_MASK[c], 0);
            }
            SET_N_CHANNELS(to, c);
        }
    }
}

/* The processes of `to` are in place: where the numbers of channels go. */
static void number_channels(const struct own_channels *own, const word *to, const uint8_t *images, uint8_t *number)
{
    const struct own_channels there = find_own(to);
    for (unsigned i = 0; i < MOST_NUMBERS; i++) {
        number[i] = (uint8_t)i;
    }
    for (unsigned c = FIXED_CHANNELS; c < own->n; c++) {
        for (unsigned d = FIXED_CHANNELS; d < there.n; d++) {
            if (images[own->pid[c]] == there.pid[d] && own->which[c] == there.which[d]) {
                number[c + 1] = (uint8_t)(d + 1);
            }
        }
    }
}

/* The channels of the processes that move, to where their owners are. */
static void carry_channels(const word *s, const struct own_channels *own, word *to, const struct renaming *r)
{
    const struct own_channels there = find_own(to);
    for (unsigned d = FIXED_CHANNELS; OWN_CHANNELS && d < there.n; d++) {
        const unsigned t = template_of(to, there.pid[d]), k = there.which[d];
        add_channel(to, d, OWN_TYPE[t][k]);
        for (unsigned c = FIXED_CHANNELS; c < own->n; c++) {
            if (r->number[c + 1] == d + 1 && r->images[own->pid[c]] == there.pid[d]) {
                carry_messages(s, c, to, d, OWN_TYPE[t][k], OWN_HOLDS[t][k], r);
            }
        }
    }
}

#endif
