/* A reader walks along a list while another thread removes nodes and deletes them at once.
 *
 * expect: violated use-after-delete; why: The reader may stand on a node that is being deleted.
 *
 *     isospin check examples/heap/list_use_after_delete.pml
 */

typedef Node { byte value; Node *next };

Node *head;

proctype reader()
{
	Node *p;
	byte sum;

	p = head;
	do
	:: p -> sum = sum + p->value; p = p->next
	:: else -> break
	od
}

proctype remover()
{
	Node *n;

	do
	:: head != null -> n = head; head = n->next; delete n; n = null
	:: else -> break
	od
}

init {
	atomic {
		head = new Node;
		head->next = new Node;
		head->next->value = 1;
		run reader();
		run remover()
	}
}
