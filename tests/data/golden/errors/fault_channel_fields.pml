chan narrow = [1] of { byte };

proctype sender(chan out) {
    out ! 1, 2
}

init {
    run sender(narrow)
}
