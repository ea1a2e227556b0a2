byte x;

active proctype worker() {
    x = 1;  /* the comment starts here
    x = 2
}
