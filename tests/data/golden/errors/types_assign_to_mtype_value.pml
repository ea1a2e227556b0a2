mtype = { idle, busy };

active proctype worker() {
    idle = 3
}
