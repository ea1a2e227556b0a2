chan link = [1] of { byte };

active proctype worker() {
    link = 1
}
