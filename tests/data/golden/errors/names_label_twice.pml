active proctype worker() {
here:
    skip;
here:
    skip
}
