/* Ties are broken by the order of the process numbers: nobody can take anybody's place. */
#define N 2
#define MOST 3
byte number[N];
byte inside;

active [N] proctype customer()
{
    byte other = 1 - _pid;
    do
    :: atomic { number[other] < MOST -> number[_pid] = number[other] + 1 };
       number[other] == 0 || number[_pid] < number[other] || (number[_pid] == number[other] && _pid < other);
       inside++;
       assert(inside == 1);
       inside--;
       number[_pid] = 0
    od
}
