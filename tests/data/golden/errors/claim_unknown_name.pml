byte x;

active proctype worker() {
    x = 1
}

ltl reached { <> (x == 1 && y == 2) }
