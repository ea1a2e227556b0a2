mtype = { idle, busy };

active proctype worker() {
    byte busy = 1;
    busy++
}
