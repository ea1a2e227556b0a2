init {
    skip
}

init {
    skip
}
