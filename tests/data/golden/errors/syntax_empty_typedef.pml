typedef Nothing { };

active proctype worker() {
    skip
}
