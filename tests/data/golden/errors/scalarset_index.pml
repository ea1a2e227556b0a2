scalarset(3) Value;
bool seen[Value]; bool plain[4]; Value v;
active proctype p() { seen[1] = 1; }
active proctype q() { plain[v] = 1 }
