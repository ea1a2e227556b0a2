typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

active proctype P()
{
    p == 0;
    n == null
}
