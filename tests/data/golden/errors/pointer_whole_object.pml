typedef In { byte x[2] };
typedef Node { In inner };
Node *p;
byte n;
active proctype P()
{
    n = p->inner;
    n = p->inner.x[0]
}
