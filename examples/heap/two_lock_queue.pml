/* The queue with two locks (Michael and Scott, 1996): a dummy node keeps those who add and those who remove apart.
 *
 * expect: holds; why: Values come out in the order in which they went in, and nodes are deleted once.
 *
 *     isospin check examples/heap/two_lock_queue.pml
 */

#ifndef MOST
#define MOST 2      /* values in the queue */
#endif

typedef Node { byte value; Node *next };

Node *head, *tail;
bool head_lock, tail_lock;
byte sent, size;
byte expected;

proctype enqueuer()
{
	Node *n;

	do
	::	atomic { size < MOST -> size++ };
		n = new Node;
		atomic { !tail_lock -> tail_lock = true; n->value = sent; sent = (sent + 1) % 3 };
		tail->next = n;
		tail = n;
		tail_lock = false
	od
}

proctype dequeuer()
{
	Node *n;

	do
	::	atomic { !head_lock -> head_lock = true };
		if
		:: head->next == null ->
			head_lock = false;
			n = null
		:: else ->
			n = head;
			head = head->next;
			assert(head->value == expected);
			atomic { expected = (expected + 1) % 3; size--; head_lock = false };
			delete n;
			n = null
		fi
	od
}

init {
	atomic {
		head = new Node;
		tail = head;
		run enqueuer();
		run enqueuer();
		run dequeuer()
	}
}
