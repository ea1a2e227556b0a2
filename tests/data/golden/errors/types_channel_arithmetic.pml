chan link = [1] of { byte };
chan other;

active proctype worker() {
    other = link + 1
}
