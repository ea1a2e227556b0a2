typedef Pair { byte a; byte b }
Pair p, q;

active proctype worker() {
    p = q
}
