/* expect: holds; states: 97; transitions: 128 */
/* pid and chan variables as byte-wide values */
chan a = [1] of { pid };
chan b = [1] of { pid };
chan w;
pid who;
active [2] proctype P()
{
	if
	:: _pid == 0 -> w = a
	:: else -> w = b
	fi;
	w!_pid
}
active proctype Q()
{
	do
	:: a?who -> assert(who < 2)
	:: b?who -> assert(who < 2); break
	:: timeout -> break
	od
}
