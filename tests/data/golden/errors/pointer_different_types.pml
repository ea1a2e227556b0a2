typedef Node { byte key; Node *next };
typedef Tree { Tree *left };
Node *p, *q;
Tree *t;
byte n;

active proctype P()
{
    p = t;
    if
    :: p == t -> skip
    :: else
    fi;
    p = new Tree
}
