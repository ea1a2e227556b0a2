/* A server and its clients: requests carry the client's pid and the channel for the answer. */
#define N 3
mtype = { ask, done };
chan requests = [1] of { mtype, pid, chan };
byte busy;

proctype client()
{
    chan answer = [1] of { mtype };
    do
    :: requests!ask, _pid, answer;
       answer?done
    od
}

proctype server()
{
    pid who;
    chan back;
    do
    :: requests?ask, who, back;
       busy++;
       assert(busy == 1);
       busy--;
       back!done
    od
}

init {
    atomic {
        run server();
        run client(); run client(); run client()
    }
}
