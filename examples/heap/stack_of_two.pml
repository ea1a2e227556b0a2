/* Four users share a stack that has room for two nodes.
 *
 * expect: violated acceptance-cycle; options: --fair; why: Two users take turns, and the stack is never empty again.
 * That is fair to the others: whoever waits for room waits in vain again and again.
 *     isospin check examples/heap/stack_of_two.pml --fair
 */

typedef Node { Node *below };

Node *top;
byte height;        /* with the nodes that are being pushed */

active [4] proctype user()
{
	Node *n;

	do
	::	atomic { height < 2 -> height++; n = new Node };
		atomic { n->below = top; top = n; n = null }
	::	atomic { top != null -> n = top; top = n->below; height-- };
		delete n;
		n = null
	od
}

ltl makes_room { [] ((height == 2) -> <> (height < 2)) }
ltl drained { [] <> (top == null) }
