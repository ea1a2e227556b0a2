scalarset(3) Value;
scalarset(2) Other;
Value v; Other w;
active proctype p() { select (v : Value); w = v }
