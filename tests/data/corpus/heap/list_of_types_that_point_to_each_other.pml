/* expect: holds */
typedef Even { Odd *next; byte n };
typedef Odd { Even *next; byte n };
Even *start;
active proctype P() {
    Odd *o;
    start = new Even;
    start->next = new Odd;
    o = start->next;
    o->n = 1;
    o->next = new Even;
    o->next->n = 2;
    assert(start->next->next->n == 2 && start->next == o)
}
