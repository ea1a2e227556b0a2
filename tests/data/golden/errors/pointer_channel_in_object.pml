typedef Box { chan c = [1] of { byte } };
Box *p;
active proctype P()
{
    p = new Box
}
