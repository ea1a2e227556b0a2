active proctype worker() priority 0 {
    skip
}
