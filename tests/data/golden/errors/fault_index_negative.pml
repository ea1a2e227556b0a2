byte a[3];
short i = 1;

active proctype walker() {
    do
    :: i--; a[i] = 1
    od
}
