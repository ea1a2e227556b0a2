/* expect: holds; states: 44; transitions: 44 */
/* a matrix as an array of a typedef with an array */
typedef Row { byte c[3] };
Row m[3];
active proctype P()
{
	byte i, j;
	for (i : 0 .. 2) {
		for (j : 0 .. 2) {
			m[i].c[j] = i * 3 + j
		}
	}
	assert(m[2].c[1] == 7)
}
