/* expect: holds; states: 72; transitions: 145 */
/* braces are the scope of a label: a jump goes to the one of its own braces, or of those around it */
byte c;
active [2] proctype P()
{
	{ goto L; c = 1; L: c = 2 }
	{ c = 3; { goto L; c = 4 } c = 5; L: c++ }
	atomic { goto L; c = 6; L: c = 7 }
	goto L
}
