byte x;

active proctype worker() {
    printf("%d of %d\n", x)
}
