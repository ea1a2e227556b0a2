byte x;

c_decl {
    int helper;
}

active proctype worker() {
    c_code { now.x = 1; };
    (c_expr { now.x == 1 }) -> x = 2
}
