/* Peterson's mutual exclusion for two processes.
 *
 * expect: holds; why: At most one process is in its critical section, and nobody gets stuck.
 *
 *     isospin check examples/peterson.pml
 */

bool flag[2];       /* flag[i]: process i wants to enter */
byte turn;          /* who goes first when both want to: the one that wrote this last waits */
byte critical;      /* how many are inside; only the assertion looks at it */

active [2] proctype user()
{
	byte other = 1 - _pid;

	do
	::	flag[_pid] = true;
		turn = other;
		!flag[other] || turn == _pid;      /* blocks until it is true */

		critical++;
		assert(critical == 1);
		critical--;

		flag[_pid] = false
	od
}
