chan meet = [0] of { byte };

active proctype receiver() {
    if
    :: meet ? [1] -> skip
    :: else -> skip
    fi
}

active proctype sender() {
    meet ! 1
}
