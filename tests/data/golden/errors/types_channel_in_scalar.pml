chan link = [1] of { byte };
byte x;

active proctype worker() {
    x = link
}
