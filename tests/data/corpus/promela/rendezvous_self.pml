/* spin: states=1 transitions=1 errors=yes kinds="invalid end state" */
/* no process can shake hands with itself */
chan c = [0] of { bit };
active proctype P() { if :: c!1 :: c?1 fi }
