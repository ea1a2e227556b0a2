active proctype worker() {
    total = 1
}

byte total;
