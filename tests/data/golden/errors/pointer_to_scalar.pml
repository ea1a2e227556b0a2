byte *p;
int a, *b;
active proctype P()
{
    skip
}
