/* A ring of eight with numbers that two share: both of them may win. */
#define N 8
mtype = { one, winner };
chan to[N] = [4] of { mtype, byte };
byte winners, number[N];
proctype node(byte me) {
    byte n; bool active_ = true;
    to[(me + 1) % N]!one, number[me];
    do
    :: to[me]?one, n ->
        if
        :: n > number[me] -> to[(me + 1) % N]!one, n; active_ = false
        :: n == number[me] && active_ -> winners++; assert(winners < 2); break
        :: else
        fi
    :: to[me]?winner, n -> break
    od
}
init { atomic {
    number[0] = 3; number[1] = 1; number[2] = 7; number[3] = 2; number[4] = 5; number[5] = 7; number[6] = 4; number[7] = 6;
    byte i; for (i : 0 .. N - 1) { run node(i) } } }
