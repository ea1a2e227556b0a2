proctype child() {
    skip
}

init {
    d_step {
        run child();
        run child()
    }
}
