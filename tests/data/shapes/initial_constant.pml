/* A parameter that only an initialiser reads. */
chan q = [1] of { byte };
proctype W(byte size) {
  byte left = size;
  do
  :: left > 0 -> q!left; left--
  :: q?_ -> left = 2
  od
}
init { atomic { run W(1); run W(2); run W(2) } }
