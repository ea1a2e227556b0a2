byte n = 3;
chan link = [n] of { byte };

active proctype worker() {
    link ! 1
}
