/* expect: violated null-dereference */
typedef T { byte x };
T *p;
active proctype P() { if :: p->x == 1 -> skip :: else fi }
