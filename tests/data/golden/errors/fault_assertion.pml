byte in_use;

active [2] proctype user() {
    in_use == 0;
    in_use++;
    assert(in_use == 1);
    in_use--
}
