chan found;

proctype owner() {
    chan mine = [1] of { byte };
    found = mine
}

init {
    run owner();
    (found != 0 && _nr_pr == 1) -> found ! 7
}
