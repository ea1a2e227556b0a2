/* A B*-tree that N updaters fill at the same time: data are in the leaves, and nodes are locked on the way down.
 * After R. Iosif, Symmetry reduction criteria for software model checking (dSPIN), and the protocols of Bayer and
 * Schkolnick: K is the order (a node has at most K children, a leaf K records), D the greatest depth, leaves included.
 * An updater makes a leaf with its records before it takes a lock.  A full node is split on the way down.
 *
 * expect: holds; options: -D K=3; why: Leaves stay in order, and no updater meets a node that is not there.
 *
 *     isospin check examples/heap/btree_star.pml -D K=3
 */

#ifndef N
#define N 2
#endif
#ifndef K
#define K 4
#endif
#ifndef D
#define D 3
#endif
#define FULL (K - 1)
#define HALF ((K - 1) / 2)
#define KEYS 2      /* the least key of a leaf is 1 .. KEYS */

typedef Record { byte data };
typedef Leaf { Record *record[K] };
/* Above leaves there are as many leaves as keys; above nodes there is one child more. */
typedef Node { bool locked; bool inner; byte count; byte key[K]; Node *child[K]; Leaf *leaf[K] };

Node *root;
bool root_locked;
byte depth;         /* of what is above the leaves */

/* Split the full child of a node that has room, at position `at`; both are locked. */
inline split(parent, at, old, fresh)
{
	fresh = new Node;
	d_step {
		fresh->inner = old->inner;
		i = HALF + old->inner;
		do
		:: i < FULL ->
			fresh->key[i - HALF - old->inner] = old->key[i];
			fresh->leaf[i - HALF - old->inner] = old->leaf[i];
			i++
		:: else -> break
		od;
		i = HALF + 1;
		do
		:: i <= FULL && old->inner -> fresh->child[i - HALF - 1] = old->child[i]; old->child[i] = null; i++
		:: else -> break
		od;
		fresh->count = FULL - HALF - old->inner;
		i = parent->count;
		do
		:: i > at -> parent->key[i] = parent->key[i - 1]; parent->child[i + 1] = parent->child[i]; i--
		:: else -> break
		od;
		parent->key[at] = old->key[HALF];
		parent->child[at + 1] = fresh;
		parent->count++;
		old->count = HALF;
		i = HALF;
		do
		:: i < FULL -> old->key[i] = 0; old->leaf[i] = null; i++
		:: else -> break
		od;
		i = 0
	}
}

active [N] proctype updater()
{
	Leaf *mine;
	Node *x, *y, *z;
	byte k, i, at;

	do
	::	mine = new Leaf;
		do
		:: i < K -> mine->record[i] = new Record; i++
		:: else -> i = 0; break
		od;
		atomic { !root_locked -> root_locked = true };
		if
		:: root == null -> root = new Node; depth = 1
		:: else
		fi;
		x = root;
		atomic { !x->locked -> x->locked = true };
		select (k : 1 .. KEYS);
		if
		:: x->count == FULL && depth == D - 1 -> x->locked = false; root_locked = false; break
		:: x->count == FULL && depth < D - 1 ->
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
				:: i > 0 && x->key[i - 1] > k -> x->key[i] = x->key[i - 1]; x->leaf[i] = x->leaf[i - 1]; i--
				:: else -> break
				od;
				x->key[i] = k;
				x->leaf[i] = mine;
				x->count++;
				i = 0;
				mine = null
			};
			assert(x->count <= FULL);
			assert(x->count < 2 || x->key[0] <= x->key[1]);
			x->locked = false;
			break
		od;
		x = null
	od
}
