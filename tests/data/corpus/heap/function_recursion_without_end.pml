/* expect: incomplete; options: --max-recursion 5 */
byte deep;
function down(byte n) { down(n + 1) }
active proctype P() { down(0); deep = 1 }
