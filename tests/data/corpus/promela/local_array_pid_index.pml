/* expect: holds; states: 129; transitions: 218 */
/* local arrays in several processes, indexed by the pid of others */
byte g;
active [3] proctype P() { bit seen[3]; seen[(_pid + g) % 3] = 1; g = (g + seen[_pid]) % 3 }
