/* expect: holds; states: 83; transitions: 113 */
/* a channel without interesting content used as a semaphore */
chan sem = [1] of { bit };
byte in;
active [3] proctype P() { sem!1; in++; assert(in == 1); in--; sem?1 }
