#include "numbers/compute.h"

enum { MOST_STEPS = 512 }; /* more than a term has nodes: hosts/c/binary/values.py */

static uint64_t computed(enum compute how, uint64_t a, uint64_t b)
{
    int64_t s = (int64_t)a, t = (int64_t)b;
    bool odd = b == 0 || (t == -1 && s == INT64_MIN);
    switch (how) {
    case COMPUTE_ADD:
        return a + b;
    case COMPUTE_SUB:
        return a - b;
    case COMPUTE_MUL:
        return a * b;
    case COMPUTE_HIGH:
        return (uint64_t)((__int128)s * t >> 64);
    case COMPUTE_HIGHU:
        return (uint64_t)((unsigned __int128)a * b >> 64);
    case COMPUTE_SHL:
        return a << (b & 63);
    case COMPUTE_SHR:
        return a >> (b & 63);
    case COMPUTE_SAR:
        return (uint64_t)(s >> (b & 63));
    case COMPUTE_AND:
        return a & b;
    case COMPUTE_OR:
        return a | b;
    case COMPUTE_XOR:
        return a ^ b;
    case COMPUTE_QUOTIENT:
        return odd ? 0 : (uint64_t)(s / t);
    case COMPUTE_REMAINDER:
        return odd ? 0 : (uint64_t)(s % t);
    case COMPUTE_QUOTIENTU:
        return b ? a / b : 0;
    case COMPUTE_REMAINDERU:
        return b ? a % b : 0;
    case COMPUTE_EQUAL:
        return a == b;
    case COMPUTE_LESS:
        return s < t;
    case COMPUTE_BELOW:
        return a < b;
    case COMPUTE_ZERO8:
        return (uint8_t)a;
    case COMPUTE_ZERO16:
        return (uint16_t)a;
    case COMPUTE_ZERO32:
        return (uint32_t)a;
    case COMPUTE_SIGN8:
        return (uint64_t)(int8_t)a;
    case COMPUTE_SIGN16:
        return (uint64_t)(int16_t)a;
    case COMPUTE_SIGN32:
        return (uint64_t)(int32_t)a;
    default:
        return 0;
    }
}

uint64_t value_of(const struct rule *rule, const uintptr_t leaves[2])
{
    uint64_t stack[MOST_STEPS];
    int top = 0;
    for (unsigned i = 0; i < rule->step_count; i++) {
        enum compute how = rule->steps[i].how;
        if (how == COMPUTE_NUMBER)
            stack[top++] = (uint64_t)rule->steps[i].number;
        else if (how == COMPUTE_CARRIED)
            stack[top++] = leaves[rule->steps[i].number];
        else if (how >= COMPUTE_ZERO8)
            stack[top - 1] = computed(how, stack[top - 1], 0);
        else {
            top--;
            stack[top - 1] = computed(how, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}
