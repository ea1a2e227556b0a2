/* expect: holds; states: 60; transitions: 96 */
/* init gets its pid from its position among the active processes */
byte v;
active proctype A() { v = v + 1 }
init { v = v * 2; assert(_pid == 1) }
active proctype B() { v = v + 3; assert(_pid == 2) }
