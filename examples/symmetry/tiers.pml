/* Three tiers: clients talk to their own server, servers share one database lock. */
#define SERVERS 2
#define CLIENTS 3
bool lock;
bool asked[SERVERS];

proctype server(byte s)
{
    do
    :: atomic { asked[s] && !lock -> lock = true };
       atomic { lock = false; asked[s] = false }
    od
}

proctype client(byte s)
{
    do
    :: atomic { !asked[s] -> asked[s] = true };
       !asked[s]
    od
}

init {
    atomic {
        run server(0); run server(1);
        run client(0); run client(0); run client(0);
        run client(1); run client(1); run client(1)
    }
}
