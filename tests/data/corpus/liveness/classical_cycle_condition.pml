/* expect: violated acceptance-cycle */
/* Where partial orders on the fly go wrong if their cycle condition looks at the stack of the product, as the textbooks
 * have it and as SPIN 6.5 does (Siegel, What's Wrong with On-the-Fly Partial Order Reduction, CAV 2019).
 *
 * The claim accepts every run in which x is ever true, however often a state is repeated before: but it counts.  It
 * guesses at once whether an even or an odd number of states comes before x.  The loop of two steps that nobody sees is
 * ample until it closes a cycle of the product; there the setter may move, and each time the guess is wrong.
 *
 * spin -a, cc, ./pan -a finds no error; with -DNOREDUCE it does.
 */

bit x;

active proctype setter() { x = 1 }

active proctype looper()
{	bit y;
	do
	:: y = 1; y = 0
	od
}

never {
begin:	if :: x -> goto accept :: !x -> goto odd1 :: !x -> goto even1 fi;
odd1:	if :: x -> goto accept :: !x -> goto odd2 fi;
odd2:	if :: !x -> goto odd3 fi;
odd3:	if :: x -> goto accept :: !x -> goto odd2 fi;
even1:	if :: !x -> goto even2 fi;
even2:	if :: x -> goto accept :: !x -> goto even1 fi;
accept:	do :: true od
}
