/* expect: holds; states: 17; transitions: 17 */
/* a process of high priority that blocks lets the others go on */
byte x;
active proctype H() priority 9 { x = 1; x == 12; x = 2; x == 5; x = 6 }
active proctype L() priority 3 { x = x + 10; x = x + 1; x = 5; x = 7 }
active proctype M() priority 6 { x == 2; x = 3; x == 6; x = 8 }
