byte x;

active proctype worker() {
    x = ;
    x = (x + ) * 2
}
