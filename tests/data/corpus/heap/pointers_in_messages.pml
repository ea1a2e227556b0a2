/* expect: holds */
typedef Box { byte value };
chan c = [2] of { Box *, byte };
chan r = [0] of { Box * };
active proctype sender() {
    Box *b;
    b = new Box;
    b->value = 3;
    c!b,1;
    b = new Box;
    b->value = 4;
    r!b
}
active proctype receiver() {
    Box *b;
    c?b,1;
    assert(b->value == 3);
    delete b;
    r?b;
    assert(b->value == 4);
    delete b
}
