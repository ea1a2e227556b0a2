/* expect: holds; states: 10; transitions: 10; options: --no-claim */
/* ltl formulas, named and not, beside the model */
byte x;
bool p;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> p = true; break od }
ltl reaches { <> (x == 3) }
ltl order { [] (p -> x == 3) && (x < 3 U p) }
