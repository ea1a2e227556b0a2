byte x;

active proctype sender() {
    (len(x) == 0)
}
