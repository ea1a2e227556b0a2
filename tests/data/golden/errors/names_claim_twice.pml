byte x;

active proctype worker() {
    x = 1
}

ltl p { <> (x == 1) }
ltl p { [] (x < 2) }
