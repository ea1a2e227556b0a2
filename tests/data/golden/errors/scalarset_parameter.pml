scalarset(3) Value;
proctype p(Value v; byte b) { v == undefined }
init { Value w; run p(1, 2); run p(w, w) }
