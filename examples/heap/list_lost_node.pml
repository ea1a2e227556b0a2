/* Two threads put nodes at the head of a list without a lock: one may overwrite what the other has done.
 *
 * expect: violated leak; options: --leaks; why: The node of the other thread cannot be reached any more.
 *
 *     isospin check examples/heap/list_lost_node.pml --leaks
 */

typedef Node { pid owner; Node *next };

Node *head;

active [2] proctype adder()
{
	Node *n, *old;

	n = new Node;
	n->owner = _pid;
	old = head;
	n->next = old;
	head = n;
	n = null;
	old = null
}
