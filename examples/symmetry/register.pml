/* Processes agree on a value: each proposes one, the first to write decides.  Symmetric in the processes and in the values. */
#ifndef N
#define N 3
#endif
#ifdef SPIN
#define Value byte
#define undefined 0
#define VALUES 4
#define ANY(v) select (v : 1 .. 3)
#else
scalarset(3) Value;
#define VALUES Value
#define ANY(v) select (v : Value)
#endif
Value decided;
bool proposed[VALUES];
chan news = [1] of { pid, Value };

active [N] proctype process()
{
    Value mine;
    ANY(mine);
    proposed[mine] = true;
    if
    :: atomic { decided == undefined -> decided = mine; news!_pid, mine }
    :: atomic { decided != undefined -> mine = decided }
    fi;
    assert(mine == decided && proposed[decided])
}

active proctype observer()
{
    Value heard;
    news?_, heard;
    assert(heard == decided)
}
