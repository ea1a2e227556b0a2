byte busy;

active proctype worker() {
busy:
    skip;
    goto busy
}
