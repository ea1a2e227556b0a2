/* expect: holds; states: 18; transitions: 21 */
/* else beside rendezvous options */
chan c = [0] of { byte };
byte x;
active proctype R()
{
	if
	:: c?1 -> x = 1
	:: c?2 -> x = 2
	:: else -> x = 3
	fi
}
active proctype S() { if :: c!2 :: c!3 :: else -> x = 4 fi }
