/* An ordered list: an inserter puts new nodes where they belong, an extractor takes the first node away.
 * After R. Iosif, Symmetry reduction criteria for software model checking (dSPIN); L is the longest list.
 *
 * expect: holds; options: --leaks -D L=2; why: With more than one node the heap is reached in many orders of
 * allocation: objects are told apart by how they are reached, so the number of states hardly grows (try --symmetry none).
 *
 *     isospin check examples/heap/ordered_list.pml --leaks -D L=2
 */

#ifndef L
#define L 3
#endif

typedef Node { byte key; Node *next };

Node *head;
byte length;
bool busy;          /* the lock of the list */

active proctype inserter()
{
	Node *n, *p;
	byte k;

	do
	::	length < L ->
		n = new Node;
		select (k : 0 .. 2);
		n->key = k;
		atomic { !busy -> busy = true };
		if
		:: head == null || head->key >= k ->
			n->next = head;
			head = n
		:: else ->
			p = head;
			do
			:: p->next != null && p->next->key < k -> p = p->next
			:: else -> break
			od;
			n->next = p->next;
			p->next = n;
			assert(p->key < k)
		fi;
		length++;
		busy = false
	od
}

active proctype extractor()
{
	Node *n;

	do
	::	atomic { head != null && !busy -> busy = true };
		n = head;
		head = n->next;
		assert(head == null || head->key >= n->key);
		length--;
		busy = false;
		delete n
	od
}
