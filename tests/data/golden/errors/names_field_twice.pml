typedef Pair { byte a; byte a }

Pair p;

active proctype worker() {
    p.a = 1
}
