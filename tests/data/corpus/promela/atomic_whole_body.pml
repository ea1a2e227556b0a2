/* expect: holds; states: 15; transitions: 25 */
/* the last statement of an atomic body: death is a step of its own */
byte x;
active [3] proctype P() { atomic { x++; x++ } }
