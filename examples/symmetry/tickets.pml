/* Customers draw tickets and are served in turn: nothing tells one from another, so all of them can change places.
 *
 * expect: holds
 *
 *     isospin check examples/symmetry/tickets.pml
 *     isospin check examples/symmetry/tickets.pml -D N=7
 */
#ifndef N
#define N 5
#endif

byte next, serving;
byte ticket[N];
byte inside;

active [N] proctype customer()
{
    do
    :: atomic { ticket[_pid] = next; next = (next + 1) % N };
       ticket[_pid] == serving;
       inside++;
       assert(inside == 1);
       inside--;
       atomic { serving = (serving + 1) % N; ticket[_pid] = 0 }
    od
}
