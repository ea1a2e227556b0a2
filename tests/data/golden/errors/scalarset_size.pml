scalarset(0) Value;
Value v;
active proctype p() { v = undefined }
