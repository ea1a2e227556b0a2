mtype = { data };
chan link = [2] of { mtype, byte, bit };

active proctype sender() {
    link ! data(1)
}
