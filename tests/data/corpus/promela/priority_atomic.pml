/* expect: holds; states: 11; transitions: 11 */
/* priorities and an atomic sequence that starts a process of higher priority */
byte x;
proctype H() { x = x * 2; x++ }
active proctype L() priority 2 { atomic { run H() priority 5; x = 3; x = 4 }; x = x + 10 }
active proctype M() priority 3 { x == 4; x = 5 }
