active proctype worker() {
    assert(false)
}
