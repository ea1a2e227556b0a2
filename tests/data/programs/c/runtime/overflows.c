/* expect: violated crash; message: stack overflow */
static int deeper(int n) {
    volatile char room[1000];
    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}

int main(void) {
    return deeper(0);
}
