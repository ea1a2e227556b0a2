/* expect: holds; states: 21; transitions: 22 */
/* declarations in options belong to the process; those in blocks to the block */
byte out;
active proctype P()
{
	if
	:: true -> byte v = 3; out = v
	:: true -> byte w; w = 7; out = w + 1
	:: true -> { byte u = 5; out = u }
	:: true -> { byte u = 6; out = u }
	fi;
	out = out + v + w
}
