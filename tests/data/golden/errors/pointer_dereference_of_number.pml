typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

active proctype P()
{
    n = n + 1;
    p->key->key = 1
}
