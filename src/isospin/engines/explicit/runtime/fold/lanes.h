/* Sorting the keys of processes, for one state or for four in the lanes of a vector; network.py has the rest. */
#ifndef ISOSPIN_LANES_H
#define ISOSPIN_LANES_H

#include "core/engine.h"

typedef uint64_t four_words __attribute__((vector_size(32)));
typedef int64_t four_signed __attribute__((vector_size(32)));

/* The smaller key goes to the left.  Without branches: nobody could predict them. */
#define ORDER_ONE(a, b) \
    do { \
        const word a_ = (a), b_ = (b); \
        (a) = a_ < b_ ? a_ : b_; \
        (b) = a_ < b_ ? b_ : a_; \
    } while (0)

#ifdef __AVX2__
typedef char bytes __attribute__((vector_size(32)));
#define ORDER_FOUR(a, b) \
    do { \
        const four_words a_ = (a), b_ = (b); \
        const bytes greater_ = (bytes)((four_signed)a_ > (four_signed)b_); \
        (a) = (four_words)__builtin_ia32_pblendvb256((bytes)a_, (bytes)b_, greater_); \
        (b) = (four_words)__builtin_ia32_pblendvb256((bytes)b_, (bytes)a_, greater_); \
    } while (0)
#else
#define ORDER_FOUR(a, b) \
    do { \
        const four_words d_ = ((a) ^ (b)) & (four_words)((four_signed)(a) > (four_signed)(b)); \
        (a) ^= d_; \
        (b) ^= d_; \
    } while (0)
#endif

#endif
