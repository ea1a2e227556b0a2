/* A stack behind a lock: N users push a new node or pop one and delete it.
 *
 * expect: holds; options: --leaks; why: Nothing is lost, nothing is used after it was deleted.
 * Users are symmetric, and so are addresses.
 *     isospin check examples/heap/stack.pml --leaks
 */

#ifndef N
#define N 2
#endif
#ifndef MOST
#define MOST 2      /* nodes on the stack */
#endif

typedef Node { byte value; Node *below };

Node *top;
byte height;
bool locked;

active [N] proctype user()
{
	Node *n;

	do
	::	height < MOST ->
		n = new Node;
		if
		:: n->value = 1
		:: n->value = 2
		fi;
		atomic { !locked -> locked = true };
		n->below = top;
		top = n;
		n = null;
		height++;
		locked = false
	::	atomic { !locked && top != null -> locked = true };
		n = top;
		top = n->below;
		height--;
		locked = false;
		assert(n->value == 1 || n->value == 2);
		delete n;
		n = null
	od
}
