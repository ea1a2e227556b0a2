/* A counter that four others disturb; what is wrong comes at its 30000th step. */
short steps; byte noise[4];
active [4] proctype disturb() { byte me = _pid; do :: noise[me] = (noise[me] + 1) % 50 od }
active proctype go() { do :: steps < 30000 -> steps++ :: else -> assert(noise[0] != 17 || noise[1] != 23) ; steps = 0 od }
