/* expect: holds */
typedef In { byte x[2]; bool b };
typedef Node { byte key = 7; In inner; Node *next };
active proctype P() {
    Node *p;
    p = new Node;
    assert(p->key == 7 && p->inner.x[1] == 0 && !p->inner.b && p->next == null);
    p->inner.x[1] = 300 - 299;
    p->key = 255;
    p->key++;
    assert(p->inner.x[p->inner.x[1]] == 1 && p->key == 0);
    delete p
}
