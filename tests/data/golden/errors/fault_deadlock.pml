chan left = [0] of { bit };
chan right = [0] of { bit };
bit ready;

active proctype first() {
    ready = 1;
    left ! 1;
    right ? _
}

active proctype second() {
    ready == 1;
    right ! 1;
    left ? _
}
