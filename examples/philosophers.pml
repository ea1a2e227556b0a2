/* Dining philosophers: each takes the left fork, then the right one.
 *
 * expect: violated deadlock; why: When all have taken the left fork, everybody waits for ever.
 *
 *     isospin check examples/philosophers.pml
 */

#define N 3

bool taken[N];      /* taken[i]: fork i is in somebody's hand */

active [N] proctype philosopher()
{
	byte left = _pid;
	byte right = (_pid + 1) % N;

	do
	::	atomic { !taken[left] -> taken[left] = true };
		atomic { !taken[right] -> taken[right] = true };
		printf("philosopher %d eats\n", _pid);
		taken[right] = false;
		taken[left] = false
	od
}
