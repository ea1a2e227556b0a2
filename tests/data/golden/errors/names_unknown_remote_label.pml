active proctype worker() {
busy:
    skip
}

active proctype watcher() {
    assert(!worker[0]@bussy)
}
