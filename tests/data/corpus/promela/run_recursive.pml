/* expect: holds; states: 34; transitions: 55 */
/* a process that starts its own kind */
byte n;
proctype P(byte d)
{
	n++;
	if
	:: d > 0 -> run P(d - 1)
	:: else
	fi;
	n--
}
init { run P(2) }
