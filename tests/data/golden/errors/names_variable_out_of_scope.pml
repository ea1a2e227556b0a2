active proctype worker() {
    {
        byte inner = 1;
        inner++
    };
    inner = 2
}
