/* expect: holds; states: 25; transitions: 31 */
/* macros with arguments, statements and options */
#define lock(m)	atomic { m == 0 -> m = 1 }
#define unlock(m)	m = 0
#define CASE(n, s)	:: x == n -> s
#define N	2
byte x;
bit m;
active [N] proctype P()
{
	lock(m);
	if
	CASE(0, x = 1)
	CASE(1, x = 2; x = 3)
	fi;
	unlock(m)
}
