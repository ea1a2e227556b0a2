/* expect: violated deadlock; states: 1; transitions: 1 */
/* no process can shake hands with itself */
chan c = [0] of { bit };
active proctype P() { if :: c!1 :: c?1 fi }
