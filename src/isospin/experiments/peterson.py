"""Peterson's mutual exclusion for n processes, as in Fig. 3 of the TopSPIN paper."""


MODEL = """byte flag[{size}] = 0;
pid turn[{n}] = 0;
byte inCR = 0;

proctype user()
{{
    byte k;
    bool ok;

    do
    :: k = 1;
       do
       :: k < {n} ->
          flag[_pid] = k;
          turn[k] = _pid;
again:    atomic {{
             ok = {free};
             if
             :: ok || turn[k] != _pid
             :: else -> goto again
             fi
          }};
          k++
       :: else -> break
       od;
       atomic {{ inCR++; assert(inCR == 1) }};
       inCR--;
       flag[_pid] = 0
    od
}}

init {{
    atomic {{ {runs} }}
}}
"""


def peterson(n: int) -> str:
    """The model text for n >= 2 processes; pid 0 is init."""
    pids = range(1, n + 1)
    free = " &&\n                  ".join(f"((_pid == {i}) || (_pid != {i} && flag[{i}] < k))" for i in pids)
    return MODEL.format(size=n + 1, n=n, free=free, runs=" ".join("run user();" for _ in pids))
