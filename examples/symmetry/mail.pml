/* Clients send mail to each other through one mailer, and wait for mail before they write again, or give up waiting.
   Messages carry two process numbers; a client remembers who wrote to it last (`friend` maps processes to processes). */
#ifndef N
#define N 3
#endif
chan outgoing = [0] of { pid, pid };      /* from, to */
chan incoming[N + 1] = [0] of { pid };    /* from; one for each client, at its process number */
pid friend[N + 1];

proctype client()
{
idle:
    if
    :: incoming[_pid]?friend[_pid]; goto idle
    :: outgoing!_pid, 1
    :: outgoing!_pid, 2
#if N > 2
    :: outgoing!_pid, 3
#endif
#if N > 3
    :: outgoing!_pid, 4
#endif
#if N > 4
    :: outgoing!_pid, 5
#endif
#if N > 5
    :: outgoing!_pid, 6
#endif
#if N > 6
    :: outgoing!_pid, 7
#endif
#if N > 7
    :: outgoing!_pid, 8
#endif
    fi;
waiting:
    if
    :: incoming[_pid]?friend[_pid]
    :: friend[_pid] != _pid -> friend[_pid] = 0    /* who writes to itself gets it in the end */
    fi;
    goto idle
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
#if N > 5
        run client();
#endif
#if N > 6
        run client();
#endif
#if N > 7
        run client();
#endif
        run mailer()
    }
}
