byte x;

active proctype worker() {
    printf("done\n", x)
}
