/* expect: holds; states: 19; transitions: 19 */
/* true, false, skip, character constants and macro constants */
#define MAX 3
#define INC(v) v = v + 1
byte x;
bool f = true, g = false;
active proctype P()
{
	skip;
	f = !f;
	g = (f == false);
	x = 'a';
	assert(x == 97);
	x = 0;
	do
	:: x < MAX -> INC(x)
	:: x == MAX -> break
	od;
	true;
	1;
	g;
	assert(f == false && g == true)
}
