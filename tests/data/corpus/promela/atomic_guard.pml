/* expect: holds; states: 83; transitions: 113 */
/* a blocked first statement keeps the whole atomic waiting */
bit lock;
byte n;
active [3] proctype P()
{
	atomic { !lock -> lock = 1 };
	n++;
	assert(n == 1);
	n--;
	lock = 0
}
