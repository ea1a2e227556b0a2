/* Processes are started without atomic. */
byte x;
proctype P() { x++; x--; x++; x-- }
init { run P(); run P(); run P() }
