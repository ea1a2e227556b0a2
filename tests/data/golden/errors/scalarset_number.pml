scalarset(3) Value;
Value v; byte b;
active proctype p() { b = v }
