typedef Pair { byte a; byte b }
typedef Pair { int a }

active proctype worker() {
    skip
}
