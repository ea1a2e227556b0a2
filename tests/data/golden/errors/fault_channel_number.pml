chan link = [1] of { byte };
chan other;

active proctype worker() {
    byte n = 9;
    other = n;
    link ! 1;
    other ? n
}
