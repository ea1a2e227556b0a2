/* expect: violated deadlock; states: 120; transitions: 233 */
/* nested atomic, blocks in blocks and nested choices as the last statements of options */
byte c;
chan q = [1] of { byte };
proctype R() { c = 2 }
active [2] proctype P()
{
	atomic {
		if
		:: c == 0 -> atomic { c = 1; { q!1 } }
		:: else -> { if :: q?_ -> { { c = 3 } } :: else -> { skip } fi }
		fi
	}
	c++;
	atomic { if :: c > 3 -> { run R() } :: else -> atomic { c = 0 } fi }
	c = c & 3
}
