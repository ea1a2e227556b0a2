/* expect: holds */
byte x;
proctype worker()
{
    do
    :: x == 0 -> x = 1
    :: x == 1 -> x = 0
    od
}
active proctype chooser()
{
    if
    :: run worker(); run worker()   /* breaks */
    :: run worker()
    fi
}
