/* expect: holds; states: 15; transitions: 21 */
/* messages left in a channel are no invalid end state */
chan c = [2] of { byte };
active proctype P() { c!1; c!2 }
active proctype Q() { byte v; if :: c?v :: skip fi }
