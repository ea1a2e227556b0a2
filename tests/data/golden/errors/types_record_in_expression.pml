typedef Pair { byte a; byte b }
Pair p;

active proctype worker() {
    (p > 0)
}
