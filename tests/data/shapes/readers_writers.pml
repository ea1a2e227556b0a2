/* Two families that share a counter. */
byte readers; bool writing;
active [3] proctype Reader() {
  do :: atomic { !writing -> readers++ }; assert(!writing); readers-- od
}
active [2] proctype Writer() {
  do :: atomic { readers == 0 && !writing -> writing = true }; assert(readers == 0); writing = false od
}
