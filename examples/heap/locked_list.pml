/* An ordered list with a lock in each node: an inserter puts nodes with given keys where they belong, an extractor takes
 * nodes with given keys away.  Both go along the list hand over hand: they hold two neighbours at most.
 * After R. Iosif, Symmetry reduction criteria for software model checking (dSPIN); L is the longest list.
 *
 * expect: holds; options: --leaks -D L=3; why: Who holds the node before holds the only way to the next one, so nobody
 * waits for a node that is deleted, and none is lost.
 *
 *     isospin check examples/heap/locked_list.pml --leaks -D L=3
 */

#ifndef L
#define L 6
#endif
#ifndef KEYS
#define KEYS 3      /* keys are 1 .. KEYS; the head has 0 */
#endif

typedef Node { bool locked; byte key; Node *next };

Node *head;         /* stays for ever: a node without a key of its own */
byte length;
bool counting;      /* the lock of the length */

inline lock(n) { atomic { !n->locked -> n->locked = true } }

/* To the last node with a key less than k, in p, with the next one in n (null at the end); what there is is locked. */
inline find(k)
{
	p = head;
	lock(p);
	n = p->next;
	do
	:: n == null -> break
	:: n != null ->
		lock(n);
		if
		:: n->key >= k -> break
		:: else ->
			p->locked = false;
			p = n;
			n = p->next
		fi
	od
}

proctype inserter()
{
	Node *p, *n, *fresh;
	byte k;

	do
	::	atomic { !counting && length < L -> counting = true };
		length++;
		counting = false;
		select (k : 1 .. KEYS);
		fresh = new Node;
		fresh->key = k;
		find(k);
		fresh->next = n;
		p->next = fresh;
		fresh = null;
		assert(p->key < k && (n == null || n->key >= k));
		if
		:: n != null -> n->locked = false
		:: else
		fi;
		p->locked = false
	od
}

proctype extractor()
{
	Node *p, *n;
	byte k;

	do
	::	select (k : 1 .. KEYS);
		find(k);
		if
		:: n != null && n->key == k ->
			p->next = n->next;
			delete n;
			n = null;
			p->locked = false;
			atomic { !counting -> counting = true };
			length--;
			counting = false
		:: n != null && n->key != k ->
			n->locked = false;
			p->locked = false
		:: n == null ->
			p->locked = false
		fi
	od
}

init { atomic { head = new Node; run inserter(); run extractor() } }
