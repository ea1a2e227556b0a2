/* expect: holds */
typedef Node { byte key; Node *left; Node *right };
Node *root;
function insert(Node *t; byte k) : Node *
{
    if
    :: t == null -> t = new Node; t->key = k
    :: t != null && k < t->key -> t->left = insert(t->left, k)
    :: t != null && k >= t->key -> t->right = insert(t->right, k)
    fi;
    return t
}
function size(Node *t) : byte
{
    byte a, b;
    if :: t == null -> return 0 :: else fi;
    a = size(t->left);
    b = size(t->right);
    return a + b + 1
}
active proctype P() {
    byte n, k;
    root = insert(root, 2);
    select (k : 1 .. 3);
    root = insert(root, k);
    root = insert(root, 2);
    n = size(root);
    assert(n == 3)
}
