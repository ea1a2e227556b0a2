/* expect: holds; states: 4; transitions: 4 */
/* values that no conversion asks for are not printed */
active proctype P() { printf("%d\n", 1, 2); skip }
