mtype = { request, reply };
mtype state;

active proctype worker() {
    state = requets
}
