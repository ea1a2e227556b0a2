scalarset(3) Value;
Value v;
active proctype p() { for (v : Value) { skip } }
