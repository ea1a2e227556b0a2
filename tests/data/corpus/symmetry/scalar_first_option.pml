/* expect: holds */
scalarset(2) Value;
Value kept;

active [2] proctype user()
{
    Value v;
    do
    :: d_step { select (v : Value); kept = v }   /* breaks */
    :: v = kept
    od
}
