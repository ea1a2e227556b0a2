chan link = [2] of { byte };
byte x;

active proctype receiver() {
    link ? x + 1
}
