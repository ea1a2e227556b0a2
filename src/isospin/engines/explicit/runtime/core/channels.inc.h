/* Channels inside a packed state.

   Messages stand one after the other from the oldest on; what is behind the last one is zero, so that equal contents
   have equal bits.  A message of at most 64 bits never straddles a word; a wider one takes whole words.

   A template (codegen/templates.py), behind the tables of the layout: for a channel c LEN_WORD, LEN_SHIFT, LEN_MASK,
   DATA_WORD, DATA_SHIFT; for a type t CAPACITY, FIELDS, MESSAGE_BITS, PER_WORD, MESSAGE_WORDS; and FIELD_WORD,
   FIELD_SHIFT, FIELD_BITS, FIELD_SIGNED of its fields. */
#ifndef ISOSPIN_CHANNELS_H
#define ISOSPIN_CHANNELS_H

#include "core/engine.h"

#define CALL ALWAYS_INLINE

CALL word ones(unsigned bits) { return bits ? ~0ULL >> (64 - bits) : 0; }

CALL unsigned chan_len(const word *s, unsigned c) { return (unsigned)(s[LEN_WORD[c]] >> LEN_SHIFT[c]) & LEN_MASK[c]; }

CALL void set_len(word *s, unsigned c, unsigned length)
{
    word *w = s + LEN_WORD[c];
    *w = (*w & ~((word)LEN_MASK[c] << LEN_SHIFT[c])) | (word)length << LEN_SHIFT[c];
}

CALL unsigned message_word(unsigned c, unsigned t, unsigned m)
{
    return DATA_WORD[c] + (MESSAGE_WORDS[t] > 1 ? m * MESSAGE_WORDS[t] : m / PER_WORD[t]);
}

CALL unsigned message_shift(unsigned c, unsigned t, unsigned m)
{
    return MESSAGE_WORDS[t] > 1 ? 0 : DATA_SHIFT[c] + m % PER_WORD[t] * MESSAGE_BITS[t];
}

CALL val chan_field(const word *s, unsigned c, unsigned t, unsigned m, unsigned f)
{
    word raw = s[message_word(c, t, m) + FIELD_WORD[t][f]] >> (message_shift(c, t, m) + FIELD_SHIFT[t][f]);
    unsigned bits = FIELD_BITS[t][f];
    if (bits == 0) {
        return 0;
    }
    return FIELD_SIGNED[t][f] ? (val)(raw << (64 - bits)) >> (64 - bits) : (val)(raw & ones(bits));
}

CALL void set_field(word *s, unsigned c, unsigned t, unsigned m, unsigned f, val value)
{
    word *w = s + message_word(c, t, m) + FIELD_WORD[t][f];
    unsigned shift = message_shift(c, t, m) + FIELD_SHIFT[t][f];
    word mask = ones(FIELD_BITS[t][f]);
    if (mask) {
        *w = (*w & ~(mask << shift)) | ((word)value & mask) << shift;
    }
}

/* Copies a message, or clears it if `from` is not below `length`. */
CALL void move_message(word *s, unsigned c, unsigned t, unsigned to, unsigned from, unsigned length)
{
    unsigned n = MESSAGE_WORDS[t];
    word *target = s + message_word(c, t, to);
    const word *source = s + message_word(c, t, from);
    if (n > 1) {
        for (unsigned i = 0; i < n; i++) {
            target[i] = from < length ? source[i] : 0;
        }
        return;
    }
    word mask = ones(MESSAGE_BITS[t]);
    word value = from < length ? *source >> message_shift(c, t, from) & mask : 0;
    unsigned shift = message_shift(c, t, to);
    *target = (*target & ~(mask << shift)) | value << shift;
}

/* Does everything lie in one word? */
CALL bool one_word(unsigned t)
{
    unsigned room = CAPACITY[t] ? CAPACITY[t] : 1;
    return MESSAGE_WORDS[t] == 1 && room * MESSAGE_BITS[t] <= 64 && room <= PER_WORD[t];
}

CALL void chan_remove(word *s, unsigned c, unsigned t, unsigned where)
{
    unsigned length = chan_len(s, c);
    if (MESSAGE_BITS[t] && one_word(t)) {
        unsigned room = CAPACITY[t] ? CAPACITY[t] : 1, b = MESSAGE_BITS[t], shift = DATA_SHIFT[c];
        word all = ones(room * b) << shift, queue = (s[DATA_WORD[c]] & all) >> shift, low = ones(where * b);
        word high = (where + 1) * b < 64 ? queue >> ((where + 1) * b) << (where * b) : 0;
        s[DATA_WORD[c]] = (s[DATA_WORD[c]] & ~all) | ((queue & low) | high) << shift;
    } else if (MESSAGE_BITS[t]) {
        for (unsigned i = where; i < length; i++) {
            move_message(s, c, t, i, i + 1 < length ? i + 1 : i, i + 1 < length ? length : 0);
        }
    }
    set_len(s, c, length - 1);
}

/* Makes room for a message at `where`; its fields are not set yet. */
CALL void chan_insert(word *s, unsigned c, unsigned t, unsigned where)
{
    unsigned length = chan_len(s, c);
    if (MESSAGE_BITS[t]) {
        for (unsigned i = length; i > where; i--) {
            move_message(s, c, t, i, i - 1, length);
        }
    }
    set_len(s, c, length + 1);
}

CALL void chan_put(word *s, unsigned c, unsigned t, unsigned where, const val *message)
{
    chan_insert(s, c, t, where);
    for (unsigned f = 0; f < FIELDS[t]; f++) {
        set_field(s, c, t, where, f, message[f]);
    }
}

/* Where a sorted send puts the message: before the first that is larger. */
CALL unsigned sorted_place(const word *s, unsigned c, unsigned t, const val *message)
{
    unsigned length = chan_len(s, c);
    for (unsigned m = 0; m < length; m++) {
        for (unsigned f = 0; f < FIELDS[t]; f++) {
            val there = chan_field(s, c, t, m, f);
            if (message[f] != there) {
                if (message[f] < there) {
                    return m;
                }
                break;
            }
        }
    }
    return length;
}

#undef CALL
#endif
