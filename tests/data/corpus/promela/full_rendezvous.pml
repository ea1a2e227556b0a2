/* expect: holds; states: 7; transitions: 7 */
/* empty and full of a rendezvous channel */
chan c = [0] of { byte };
byte x;
active proctype P() { if :: empty(c) -> x = 1 :: full(c) -> x = 2 :: nempty(c) -> x = 3 :: nfull(c) -> x = 4 fi }
