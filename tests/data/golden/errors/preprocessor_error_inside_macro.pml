#define ADVANCE(v) v = v + stepp

byte counter;
byte step = 1;

active proctype worker() {
    skip;
    ADVANCE(counter)
}
