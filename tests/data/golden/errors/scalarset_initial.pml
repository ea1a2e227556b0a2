scalarset(3) Value;
Value v = 2;
active proctype p() { v = undefined }
