byte shares = 2;
byte each;

active proctype divider() {
    do
    :: each = 12 / shares;
        shares--
    od
}
