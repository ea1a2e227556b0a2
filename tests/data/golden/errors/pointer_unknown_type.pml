typedef Node { Noda *next };
active proctype P()
{
    skip
}
