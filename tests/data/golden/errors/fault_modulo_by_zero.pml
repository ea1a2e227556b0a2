byte zero;

active proctype worker() {
    assert(7 % zero == 0)
}
