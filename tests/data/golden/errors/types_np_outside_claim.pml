active proctype worker() {
    (np_)
}
