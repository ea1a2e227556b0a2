active proctype runner() {
    skip
}
#endif
