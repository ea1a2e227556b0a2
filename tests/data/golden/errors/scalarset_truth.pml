scalarset(3) Value;
Value v;
active proctype p() { do :: v -> skip :: !v od }
