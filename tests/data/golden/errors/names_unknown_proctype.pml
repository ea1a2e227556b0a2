proctype client() {
    skip
}

init {
    run cleint()
}
