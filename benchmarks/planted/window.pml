/* A window of three over a channel that loses and repeats, with sequence numbers of two bits: one too few, which shows when
 * they have gone round. */
#define W 3
#define M 4
chan there = [4] of { byte, byte };
chan back = [3] of { byte };
byte expected, sent, acked, received;
active proctype sender() {
    byte a;
    do
    :: sent < 40 && sent - acked < W && nfull(there) -> atomic { there!sent % M, sent; sent++ }
    :: acked < sent && nfull(there) -> atomic { there!acked % M, acked }
    :: back?a -> if :: (a + M - acked % M) % M <= W && acked + (a + M - acked % M) % M <= sent -> acked = acked + (a + M - acked % M) % M :: else fi
    od
}
active proctype receiver() {
    byte n, value;
    do
    :: there?n, value ->
        if
        :: n == expected -> assert(value == received); received++; expected = (expected + 1) % M
        :: else
        fi;
        if :: nfull(back) -> back!expected :: true fi
    od
}
active proctype loses() {
    byte n, value;
    do
    :: there?n, value
    :: back?n
    :: there?<n, value> -> if :: nfull(there) -> there!n, value :: else fi
    od
}
