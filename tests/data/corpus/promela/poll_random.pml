/* expect: holds; states: 24; transitions: 27 */
/* c??[..] looks for a matching message anywhere */
chan c = [3] of { byte };
byte r;
active proctype S() { c!5; c!6; c!7 }
active proctype R()
{
	c??[6];
	r = c??[7];
	if
	:: c?[6] -> r = 9
	:: c??[7] -> c??7
	:: else -> r = r + 2
	fi
}
