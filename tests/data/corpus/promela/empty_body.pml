/* expect: holds; states: 103; transitions: 277 */
/* processes without statements */
byte x;
proctype E() { skip }
active proctype A() { x = 1 }
active [2] proctype N() { true }
init { run E(); run E() }
