active proctype worker() {
    byte x;
    {
        byte x = 1;
        x++
    }
}
