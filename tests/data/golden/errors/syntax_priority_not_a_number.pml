byte p = 3;

active proctype worker() priority p {
    skip
}
