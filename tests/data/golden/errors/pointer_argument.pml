typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

active proctype P()
{
    run Q(1);
    run Q(t)
}
proctype Q(Node *a)
{
    a->key = 1
}
