chan link = [2] of { byte, bit };
byte x;

active proctype receiver() {
    link ? x
}
