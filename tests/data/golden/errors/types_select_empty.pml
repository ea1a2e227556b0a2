byte i;

active proctype worker() {
    select (i : 5 .. 2)
}
