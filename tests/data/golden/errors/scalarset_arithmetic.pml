scalarset(3) Value;
Value v;
active proctype p() { select (v : Value); v++ }
