typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

chan c = [1] of { Node *, byte };
active proctype P()
{
    chan d;
    d = c;
    d!1,2
}
