proctype child() {
    false
}

active [253] proctype sleeper() {
end:
    false
}

init {
    run child();
    run child()
}
