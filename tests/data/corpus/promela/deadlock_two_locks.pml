/* expect: violated deadlock; states: 25; transitions: 33 */
/* two processes that take two locks in different order */
bit a, b;
active proctype P() { atomic { !a -> a = 1 }; atomic { !b -> b = 1 }; b = 0; a = 0 }
active proctype Q() { atomic { !b -> b = 1 }; atomic { !a -> a = 1 }; a = 0; b = 0 }
