/* expect: holds; states: 74; transitions: 129 */
/* show and local only annotate */
show byte s;
local byte l;
active proctype P()
{
	show byte k;
	do
	:: k < 3 -> k++; l = k
	:: l == 2 -> s = 1
	:: k == 3 -> break
	od
}
active proctype Q() { show bit b; b = 1; s = 2 }
