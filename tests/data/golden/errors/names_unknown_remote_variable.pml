active proctype worker() {
    byte count;
    count = 1
}

active proctype watcher() {
    assert(worker[0]:cont == 0)
}
