byte x;

active proctype worker() {
    xr x;
    skip
}
