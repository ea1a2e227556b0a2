/* A binary tree of seven nodes: a node reports to its parent when its children have reported to it. */
#define N 7
bool ready[N];

proctype node(byte id)
{
    if
    :: 2 * id + 2 < N -> ready[2 * id + 1] && ready[2 * id + 2]
    :: else
    fi;
    ready[id] = true;
    ready[0]
}

init {
    atomic {
        run node(0); run node(1); run node(2); run node(3); run node(4); run node(5); run node(6)
    }
    ready[0];
    assert(ready[3] && ready[4] && ready[5] && ready[6])
}
