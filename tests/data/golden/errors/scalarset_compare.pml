scalarset(3) Value;
Value v; byte b;
active proctype p() { v == b -> skip }
