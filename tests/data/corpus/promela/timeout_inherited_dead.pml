/* expect: holds; states: 16; transitions: 16 */
/* timeout while another process has reached its end but cannot die yet */
byte x;
active proctype A() { x++ }
active proctype B() { timeout -> x++ }
active proctype C() { timeout -> x = 9 }
