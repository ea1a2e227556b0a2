scalarset(3) Value;
Value v, w;
active proctype p() { select (v : Value); v < w -> skip }
