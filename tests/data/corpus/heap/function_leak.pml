/* expect: violated leak; options: --leaks */
typedef T { byte x };
function make() : T *
{
    T *p;
    p = new T;
    p->x = 1;
    return p
}
active proctype P() {
    T *p;
    p = make();
    make();
    delete p
}
