/* A B-tree that N updaters fill at the same time, locking from node to node on their way down.
 * After R. Iosif, Symmetry reduction criteria for software model checking (dSPIN): K is the order (a node has at most K
 * children and K - 1 keys), D the greatest depth.  A full node is split on the way down, so its parent has room.
 *
 * expect: holds; why: Nodes stay ordered, and no updater meets a node that is not there.
 *
 *     isospin check examples/heap/btree.pml
 */

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif
#ifndef D
#define D 2
#endif
#define FULL (K - 1)
#define HALF ((K - 1) / 2)
#define KEYS 2      /* keys are 1 .. KEYS */

typedef Node { bool locked; bool inner; byte count; byte key[K]; Node *child[K] };

Node *root;
bool root_locked;
byte depth;

/* Split the full child of a node that has room, at position `at`; both are locked. */
inline split(parent, at, old, fresh)
{
	fresh = new Node;
	d_step {
		fresh->inner = old->inner;
		i = HALF + 1;
		do
		:: i < FULL -> fresh->key[i - HALF - 1] = old->key[i]; old->key[i] = 0; i++
		:: else -> break
		od;
		i = HALF + 1;
		do
		:: i <= FULL && old->inner -> fresh->child[i - HALF - 1] = old->child[i]; old->child[i] = null; i++
		:: else -> break
		od;
		fresh->count = FULL - HALF - 1;
		old->count = HALF;
		i = parent->count;
		do
		:: i > at -> parent->key[i] = parent->key[i - 1]; parent->child[i + 1] = parent->child[i]; i--
		:: else -> break
		od;
		parent->key[at] = old->key[HALF];
		old->key[HALF] = 0;
		parent->child[at + 1] = fresh;
		parent->count++;
		i = 0
	}
}

active [N] proctype updater()
{
	Node *x, *y, *z;
	byte k, i, at;

	do
	::	atomic { !root_locked -> root_locked = true };
		if
		:: root == null -> root = new Node; depth = 1
		:: else
		fi;
		select (k : 1 .. KEYS);
		x = root;
		atomic { !x->locked -> x->locked = true };
		if
		:: x->count == FULL && depth == D -> x->locked = false; root_locked = false; x = null; break
		:: x->count == FULL && depth < D ->
			y = new Node;
			d_step { y->inner = true; y->locked = true; y->child[0] = x; at = 0 };
			split(y, at, x, z);
			d_step { root = y; depth++; x->locked = false; x = y; y = null; z = null }
		:: else
		fi;
		root_locked = false;
		do
		:: x->inner ->
			d_step {
				at = 0;
				do
				:: at < x->count && x->key[at] < k -> at++
				:: else -> break
				od;
				y = x->child[at]
			};
			assert(y != null);
			atomic { !y->locked -> y->locked = true };
			if
			:: y->count == FULL && x->count < FULL ->
				split(x, at, y, z);
				d_step { y->locked = false; y = null; z = null }
			:: y->count == FULL && x->count == FULL ->
				d_step { y->locked = false; x->locked = false; y = null };
				break
			:: else ->
				d_step { x->locked = false; x = y; y = null }
			fi
		:: else ->
			d_step {
				i = x->count;
				do
				:: i > 0 && x->key[i - 1] > k -> x->key[i] = x->key[i - 1]; i--
				:: else -> break
				od;
				x->key[i] = k;
				x->count++;
				i = 0
			};
			assert(x->count <= FULL);
			assert(x->count < 2 || x->key[0] <= x->key[1]);
			x->locked = false;
			break
		od;
		x = null
	od
}
