byte x;

active proctype sender() {
    x ! 1
}
