/* expect: violated leak; options: --leaks */
typedef T { byte x };
chan c = [1] of { T * };
active proctype P() {
    T *p;
    p = new T;
    c!p;
    p = null;
    c?_
}
