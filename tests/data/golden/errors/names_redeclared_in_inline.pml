inline tidy(v) {
    byte temporary = v;
    byte temporary;
    skip
}

active proctype worker() {
    tidy(3)
}
