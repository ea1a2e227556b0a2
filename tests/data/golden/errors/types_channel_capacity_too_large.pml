chan link = [300] of { byte };

active proctype worker() {
    link ! 1
}
