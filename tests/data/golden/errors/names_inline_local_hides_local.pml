inline double(v) {
    byte temporary = v;
    v = v + temporary
}

active proctype worker() {
    byte temporary = 3;
    double(temporary)
}
