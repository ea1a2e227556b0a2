/* expect: holds; states: 24; transitions: 31 */
/* else beside poll and len conditions */
chan c = [2] of { byte };
byte r;
active proctype S() { c!1; c!2 }
active proctype R()
{
	if
	:: c?[1] -> r = 1
	:: len(c) == 2 -> r = 2
	:: else -> r = 3
	fi
}
