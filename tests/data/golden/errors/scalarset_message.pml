scalarset(3) Value;
chan q = [1] of { byte, Value }; Value v;
active proctype p() { q!1, 1 }
active proctype r() { q?v, _ }
active proctype s() { q?_, eval(1) }
