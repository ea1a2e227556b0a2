/* Two processes put a new node at the head of a list of one, again and again; what was there before is lost.
 *
 * expect: holds; why: Every round sets the head, whoever makes it.
 * No round has the objects of the one before, so without folding heaps the search never ends.
 *     isospin check examples/heap/allocate_for_ever.pml
 */

typedef Node { Node *next };

Node *head;

active [2] proctype writer()
{
	Node *n;

	do
	::	n = new Node;
		head = n;
		n = null
	od
}

ltl written { [] <> (head != null) }
