typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

chan c = [1] of { Node *, byte };
active proctype P()
{
    c!1,2;
    c!t,2;
    c?n,n;
    c!p,q
}
