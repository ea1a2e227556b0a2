/* expect: holds; states: 33; transitions: 44 */
/* _nr_pr counts processes that have not died */
byte a;
active proctype P() { a = _nr_pr; _nr_pr == 1; a = 9 }
active proctype Q() { a = _nr_pr + 10 }
active proctype R() { skip }
