active proctype worker() {
}
