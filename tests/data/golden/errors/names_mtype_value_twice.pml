mtype = { red, green };
mtype = { blue, red };

active proctype worker() {
    skip
}
