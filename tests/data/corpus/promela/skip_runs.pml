/* expect: holds; states: 374; transitions: 728 */
/* of several skips in a row inside an option SPIN keeps the first; a printf counts as one, a label ends the run */
byte c;
active [2] proctype P()
{
	if
	:: skip; skip; true; c++; skip; skip
	:: printf("a"); skip; L: skip; skip; 1; c--; { skip; skip; c = 1 }; (1); skip
	fi;
	skip; skip; c = 0
}
