chan link = [2] of { byte };

active proctype receiver() {
    (link ? [1, 2])
}
