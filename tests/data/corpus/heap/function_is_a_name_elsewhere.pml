/* expect: holds */
byte function = 3;
active proctype P() { function++; assert(function == 4) }
