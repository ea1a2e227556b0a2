active [300] proctype worker() {
    skip
}
