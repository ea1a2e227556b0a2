/* expect: holds; states: 5; transitions: 5 */
/* characters are numbers, the one of scalarset values too */
byte s = '#';
active proctype P() { s == '#' -> s = '$'; assert(s == 36) }
