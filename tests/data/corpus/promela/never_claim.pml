/* expect: holds; states: 13; transitions: 19; options: --no-claim */
/* a never claim with accept label; the counts are those of the system without it */
byte x;
active [2] proctype P() { x++; x++ }
never
{
S0:	if
	:: x > 2 -> goto accept_S1
	:: true -> goto S0
	fi;
accept_S1:
	do
	:: x <= 4
	od
}
