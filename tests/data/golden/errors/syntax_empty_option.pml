byte x;

active proctype worker() {
    do
    :: x < 3 ->
    ::
    :: else -> break
    od
}
