typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

active proctype P()
{
    p = new Node;
    n = p->next->key
}
