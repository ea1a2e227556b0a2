/* expect: holds; states: 96; transitions: 163 */
/* full channels block the sender, empty ones the receiver */
chan c = [2] of { byte };
active proctype S()
{
	byte i;
	do
	:: i < 4 -> c!i; i++
	:: else -> break
	od
}
active proctype R()
{
	byte v, n;
	do
	:: c?v -> assert(v == n); n++
	:: n == 4 -> break
	od
}
