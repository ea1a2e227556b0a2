/* Eight nodes at the corners of a cube: a node may light up if at most one neighbour has. */
#define N 8
bool lit[N];

active [N] proctype corner()
{
    atomic {
        lit[_pid ^ 1] + lit[_pid ^ 2] + lit[_pid ^ 4] < 2 -> lit[_pid] = true
    };
    false
}
