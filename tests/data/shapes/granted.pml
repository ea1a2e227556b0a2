/* A server answers through an array of channels that carry something else than the numbers of its clients. */
mtype = { go };
chan request = [2] of { byte };
chan grant[3] = [0] of { mtype };
chan release = [0] of { byte };
byte owner = 3;

proctype Client(byte id) {
	do
	:: request!id; grant[id]?go; assert(owner == id); release!id
	od
}

proctype Server() {
	byte id;
	do
	:: request?id; owner = id; grant[id]!go; release?eval(id); owner = 3
	od
}

init { atomic { run Client(0); run Client(1); run Client(2); run Server() } }
