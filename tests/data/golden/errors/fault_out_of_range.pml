byte a[3];
byte i;

active proctype walker() {
    do
    :: i < 4 ->
        a[i] = 1;
        i++
    :: else -> break
    od
}
