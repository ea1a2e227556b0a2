chan link = [2] of { byte, bit };

active proctype sender() {
    link ! 1, 0, 7
}
