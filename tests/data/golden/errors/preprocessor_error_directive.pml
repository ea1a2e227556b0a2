#ifndef N
#error "N must be defined: isospin check -D N=3"
#endif

active [N] proctype worker() {
    skip
}
