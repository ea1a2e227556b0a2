active proctype looper() {
again:
    skip;
    goto agian
}
