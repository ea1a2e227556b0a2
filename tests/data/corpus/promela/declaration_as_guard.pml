/* expect: violated deadlock; states: 6; transitions: 6 */
/* a declaration at the start of an option is its guard, so else is dead */
byte r;
active proctype P()
{
	if
	:: byte h; h == 1 -> r = 1
	:: byte i = 2; i == 2 -> r = 2
	:: else -> r = 3
	fi
}
