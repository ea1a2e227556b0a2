/* Clients send mail to each other through one mailer.  Messages carry two process numbers; a client remembers who wrote to
   it last (`friend` maps processes to processes) and may answer. */
#ifndef N
#define N 3
#endif
chan outgoing = [0] of { pid, pid };      /* from, to */
chan incoming[N + 1] = [0] of { pid };    /* from; one for each client, at its process number */
pid friend[N + 1];

proctype client()
{
    pid to;
idle:
    if
    :: atomic { incoming[_pid]?friend[_pid]; goto idle }
    :: to = 1
    :: to = 2
#if N > 2
    :: to = 3
#endif
#if N > 3
    :: to = 4
#endif
#if N > 4
    :: to = 5
#endif
    :: atomic { friend[_pid] != 0 -> to = friend[_pid] }
    fi;
sending:
    if
    :: atomic { incoming[_pid]?friend[_pid]; goto sending }
    :: atomic { outgoing!_pid, to; to = 0; goto idle }
    fi
}

proctype mailer()
{
    pid sender, receiver;
    do
    :: outgoing?sender, receiver;
       atomic { incoming[receiver]!sender; sender = 0; receiver = 0 }
    od
}

init {
    atomic {
        run client();
        run client();
#if N > 2
        run client();
#endif
#if N > 3
        run client();
#endif
#if N > 4
        run client();
#endif
        run mailer()
    }
}
