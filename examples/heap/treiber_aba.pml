/* Treiber's stack without protection against reuse: a node that was deleted comes back as a new one (the ABA bug).
 * pop() reads the top and its successor, and later replaces the top if it is still the same; meanwhile the top may have
 * been popped, its successor too, and a new node pushed into the place of the old one.
 *
 * expect: violated use-after-delete; why: The comparison succeeds, and the stack continues with a deleted node.
 *
 *     isospin check examples/heap/treiber_aba.pml
 */

typedef Node { byte value; Node *below };

Node *top;

inline push(n)
{
	do
	::	n->below = top;
		if
		:: atomic { top == n->below -> top = n }; break      /* compare and swap */
		:: atomic { top != n->below -> skip }
		fi
	od
}

inline pop(n, rest)
{
	do
	::	atomic { n = top; if :: n == null -> break :: else -> rest = n->below fi };
		if
		:: atomic { top == n -> top = rest; break }          /* compare and swap */
		:: atomic { top != n -> skip }
		fi
	od
}

proctype popper()
{
	Node *n, *rest;

	pop(n, rest);
	delete n
}

proctype worker()
{
	Node *n, *rest;

	pop(n, rest);
	delete n;
	pop(n, rest);
	delete n;
	n = new Node;
	push(n);
	n = null;
	pop(n, rest);
	assert(n == null || n->value == 0)
}

init {
	atomic {
		top = new Node;
		top->below = new Node;
		run popper();
		run worker()
	}
}
