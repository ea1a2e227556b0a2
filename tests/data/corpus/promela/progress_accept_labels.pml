/* expect: holds; states: 2070; transitions: 4157; options: --no-claim */
/* progress and accept labels change no safety count */
byte x;
active [2] proctype P()
{
	do
	:: x < 2 -> progress: x++
	:: x > 0 -> accept_here: x--
	:: x == 2 -> progress_b: accept: end: skip
	od
}
