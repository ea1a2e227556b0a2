/* expect: holds; why: ids count from 0 and pids from 1, and links are chosen by a table over all ids */
#define N 3
mtype = { token };
chan link1 = [1] of { mtype };
chan link2 = [1] of { mtype };
chan link3 = [1] of { mtype };
byte owner = 9;
proctype node(byte id)
{
    chan mine;
    if
    :: id == 0 -> mine = link1
    :: id == 1 -> mine = link2
    :: id == 2 -> mine = link3
    fi;
    do
    :: atomic { owner == 9 -> owner = id; mine!token }
    :: atomic { owner == id -> mine?token; owner = 9 }
    od
}
init { atomic { run node(0); run node(1); run node(2) } }
