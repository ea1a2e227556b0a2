scalarset(3) Value;
Value v;
active proctype p() { v = 1 }
