active proctype worker() {
    skip
}

active proctype watcher() {
    (worker == 1)
}
