/* expect: holds */
typedef Box { byte value; Box *next };
chan c = [1] of { Box *, byte };
active proctype P() {
    Box *b;
    b = new Box;
    c!b,9;
    c?b->next,b->value;
    assert(b->next == b && b->value == 9)
}
