/* expect: holds; states: 5; transitions: 5 */
/* a rendezvous sender finds only a receiver whose pattern matches */
chan c = [0] of { byte, byte };
byte r;
active proctype S()
{
	if
	:: c!1, 5
	:: c!2, 6
	:: c!3, 7
	fi
}
active proctype R1() { end: c?1, r }
active proctype R2() { byte k = 6; end: c?2, eval(k) -> r = 9 }
