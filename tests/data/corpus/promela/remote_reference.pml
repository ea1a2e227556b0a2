/* expect: violated deadlock; states: 83; transitions: 163 */
/* remote references to labels of a named process */
byte x;
active [2] proctype P() { x++; here: x++; there: skip }
active proctype Q()
{
	do
	:: P[0]@here -> x = x + 10; break
	:: P[0]@there && !P[1]@here -> x = x + 20; break
	od
}
