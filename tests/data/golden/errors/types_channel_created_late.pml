byte x;

active proctype worker() {
    x = 1;
    chan link = [1] of { byte };
    link ! x
}
