typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

byte a[3];
active proctype P()
{
    n = a[p]
}
